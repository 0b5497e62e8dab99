//! When a withdrawal is released: at a time that was drawn, so that it can't be told from when its owner was paid.

use crate::errors::Failure;
use pinocchio::{
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// Seconds ahead at most, of what a recipient chooses.
const LONGEST: i64 = 90 * 86_400;
/// Seconds by which an order's release may exceed its range: it is put off to an instant that many share.
const ROUNDING: i64 = 3_600;

/// A recipient's choice, unix seconds; what is past is 0: at once.
pub fn chosen(due_at: i64) -> Result<i64, ProgramError> {
    let now = Clock::get()?.unix_timestamp;
    if due_at <= now {
        return Ok(0);
    }
    if due_at > now.checked_add(LONGEST).ok_or(Failure::Overflow)? {
        return Err(Failure::InvalidReleaseTime.into());
    }
    Ok(due_at)
}

/// Seconds between two rounds: they are at 00:00 and 12:00 UTC, so nobody can cause one.
const ROUND: u64 = 43_200;
/// Seconds for which a round is open: its parts are released one after the other.
const OPEN: i64 = 3_600;
/// Seconds that a part waits for a round at most: the first few of a balance; those beyond, which whoever is paid well has.
const LIMITS: [i64; 2] = [84 * 3_600, 240 * 3_600];
/// Parts of a balance at a time for which the first limit holds. Whoever had many more in a round than others would be the best guess for each
/// of its wallets.
const FIRST_PARTS: usize = 6;

/// Seconds from the last round to a time.
fn since_round(time: i64) -> i64 {
    // The ledger divides unsigned numbers alone; its clock is past 1970.
    (time.cast_unsigned() % ROUND).cast_signed()
}

/// The last round before the limit, unix seconds: whatever others do, a part that is asked for now leaves then. `waiting`: how many of the
/// balance's wait already.
pub fn last_round(waiting: usize) -> Result<i64, ProgramError> {
    let [first, later] = LIMITS;
    let limit = if waiting < FIRST_PARTS { first } else { later };
    let limit = Clock::get()?.unix_timestamp.checked_add(limit).ok_or(Failure::Overflow)?;
    Ok(limit.wrapping_sub(since_round(limit)))
}

/// Whether a round is open.
pub fn is_round(now: i64) -> bool {
    since_round(now) < OPEN
}

/// Seconds from now between which the execution authority must have drawn.
pub struct Range {
    earliest: i64,
    latest: i64,
}

impl Range {
    pub const AT_ONCE: Range = Range { earliest: 0, latest: 0 };

    /// A standing order's, in minutes.
    pub fn minutes(least: u16, most: u16) -> Range {
        if most == 0 {
            return Range::AT_ONCE;
        }
        let seconds = |minutes: u16| i64::from(minutes).wrapping_mul(60);
        Range { earliest: seconds(least), latest: seconds(most).wrapping_add(ROUNDING) }
    }

    /// What was drawn, unix seconds; what is past is 0: at once.
    pub fn check(&self, drawn: i64, now: i64) -> Result<i64, Failure> {
        let after = drawn.max(now).checked_sub(now).ok_or(Failure::Overflow)?;
        if after < self.earliest || after > self.latest {
            return Err(Failure::InvalidReleaseTime);
        }
        Ok(if after == 0 { 0 } else { drawn })
    }
}
