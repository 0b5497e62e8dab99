//! Account layouts, byte for byte as in docs/internals/ledger-program.md.

mod approval;
mod balance;
mod batch;
mod config;
mod counter;
mod page;
mod pool;
mod schedule;
mod vault;
mod whitelist;

pub use approval::{Approval, CHANGE_DELAY, NOBODY};
pub use balance::Balance;
pub use batch::{Batch, Phase as BatchPhase};
pub use config::{Config, Limits, check_flags, check_guardian_terms, check_keys};
pub use counter::Counter;
pub use page::{Page, RedeemedPage};
pub use pool::Pool;
pub use schedule::{MAX_HELD, Missed, Phase as SchedulePhase, Proposal, Schedule, Status};
pub use vault::Vault;
pub use whitelist::{Listed, WhitelistEntry};

use crate::errors::Failure;
use pinocchio::{AccountView, Address};

/// First bytes of every account.
#[repr(C)]
pub struct Header {
    kind: u8,
    version: u8,
    pub bump: u8,
}

impl Header {
    /// Header of a new account of type `T`.
    pub fn new<T: State>(bump: u8) -> Self {
        Header { kind: T::KIND, version: T::VERSION, bump }
    }
}

/// A fixed layout at the start of an account of this program.
///
/// # Safety
/// The type is `repr(C)`, begins with a `Header`, has no padding and is valid for every bit pattern.
pub unsafe trait State: Sized {
    const KIND: u8;
    /// Written into every account; a change of the layout raises it: docs/internals/migrations.md.
    const VERSION: u8 = 1;
    /// Whether bytes (a bitmap) may follow the fixed part.
    const HAS_TAIL: bool = false;
}

fn check<T: State>(account: &AccountView, program_id: &Address) -> Result<(), Failure> {
    let length = account.data_len();
    let fits = if T::HAS_TAIL { length >= size_of::<T>() } else { length == size_of::<T>() };
    if !fits || !account.owned_by(program_id) {
        return Err(Failure::InvalidAccount);
    }
    // SAFETY: the length was checked; only this program's own instructions hold references, one per account (see `load_mut`).
    let data = unsafe { account.borrow_unchecked() };
    if data[0] != T::KIND || data[1] != T::VERSION {
        return Err(Failure::InvalidAccount);
    }
    Ok(())
}

/// Reads an account of this program. Owner, kind, version and length are proof of its address: this program creates each
/// kind at its derived address only.
pub fn load<'a, T: State>(account: &'a AccountView, program_id: &Address) -> Result<&'a T, Failure> {
    check::<T>(account, program_id)?;
    // SAFETY: length and kind were checked; the runtime aligns account data to 8 bytes.
    Ok(unsafe { &*account.data_ptr().cast::<T>() })
}

/// Writes an account of this program. No instruction loads two accounts of one kind at a time, so the kinds keep references to
/// one account from overlapping even when a caller passes it twice.
pub fn load_mut<'a, T: State>(account: &'a mut AccountView, program_id: &Address) -> Result<&'a mut T, Failure> {
    check::<T>(account, program_id)?;
    if !account.is_writable() {
        return Err(Failure::InvalidAccount);
    }
    // SAFETY: as in `load`.
    Ok(unsafe { &mut *account.data_mut_ptr().cast::<T>() })
}

/// Writes the fixed part of an account that this instruction has just created (its bytes are zero).
pub fn store<T: State>(account: &mut AccountView, value: T) -> Result<(), Failure> {
    if account.data_len() < size_of::<T>() {
        return Err(Failure::InvalidAccount);
    }
    // SAFETY: the length was checked; `T` has no padding; the account is new, so nothing else refers to it.
    unsafe { account.data_mut_ptr().cast::<T>().write(value) };
    Ok(())
}

/// Bytes after the fixed part `T`, to read.
///
/// # Safety
/// The account was loaded as `T` with a tail and no mutable reference to its tail is alive.
pub unsafe fn tail<'a, T: State>(account: &AccountView) -> &'a [u8] {
    let length = account.data_len().saturating_sub(size_of::<T>());
    // SAFETY: the caller's contract; the range lies within the account's data.
    unsafe { core::slice::from_raw_parts(account.data_ptr().add(size_of::<T>()), length) }
}

/// Bytes after the fixed part `T`.
///
/// # Safety
/// The account was loaded as `T` with a tail and no other reference to its tail is alive.
pub unsafe fn tail_mut<'a, T: State>(account: &mut AccountView) -> &'a mut [u8] {
    let length = account.data_len().saturating_sub(size_of::<T>());
    // SAFETY: the caller's contract; the range lies within the account's data.
    unsafe { core::slice::from_raw_parts_mut(account.data_mut_ptr().add(size_of::<T>()), length) }
}
