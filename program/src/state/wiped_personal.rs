use super::{Header, Personal, State};
use crate::{context::Account, errors::Failure};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// What is left of a personal account of which nothing is asked any more: it says nothing of anybody, and is closed a minute later. Zeros
    /// follow.
    #[account(kind = 14, size = 64, zeros)]
    #[seeds(b"personal", mint: Address, nonce: [u8; 16])]
    pub struct WipedPersonal {
        pub header: Header,
        pub reserved_head: [u8; 5],
        pub mint: Address,
        /// The personal account's.
        pub nonce: [u8; 16],
        /// Unix seconds at which it was wiped.
        pub wiped_at: i64,
    }
}

impl Account<WipedPersonal> {
    /// Leaves of a personal account what its closing takes, and nothing that says whose it was.
    pub fn wiped(mut personal: Account<Personal>, wiped_at: i64) -> Result<Self, Failure> {
        let (mint, nonce, bump) = (personal.mint, personal.nonce, personal.header.bump);
        let length = personal.view.data_len();
        // SAFETY: all of the account's bytes, to which nothing refers any more.
        unsafe { core::slice::from_raw_parts_mut(personal.view.data_mut_ptr(), length) }.fill(0);
        let mut wiped = Account::<WipedPersonal>::created(&personal.view, bump)?;
        wiped.mint = mint;
        wiped.nonce = nonce;
        wiped.wiped_at = wiped_at;
        Ok(wiped)
    }
}

/// Seconds for which whoever was shown an account may still ask who may read it. Wiping and closing wait for as long.
const READERS_TAKE: i64 = 60;

/// So much time has passed since then that nobody reads any more what an account held before.
pub fn check_unread(since: i64, now: i64) -> Result<(), Failure> {
    if now.saturating_sub(since) >= READERS_TAKE { Ok(()) } else { Err(Failure::PersonalTooRecent) }
}
