//! Account layouts, byte for byte as in docs/internals/ledger-program.md.

/// The layout of a kind of account: its number, its size in bytes and what follows behind the fields, the seeds of its address, and its fields,
/// which begin with the header. Fields called `reserved…` are zero and nobody's. Before a field: `flatten`, whose own fields clients see
/// in its place, their names after a prefix if one is given.
macro_rules! layout {
    (
        $(#[doc = $doc:expr])*
        #[account(kind = $kind:literal, size = $size:literal $(, $tail:ident)?)]
        #[seeds($seed:literal $(, $name:ident: $SeedType:ty)*)]
        pub struct $Name:ident { $($(#[$attribute:ident $($rule:tt)*])* pub $field:ident: $Type:ty,)* }
    ) => {
        $(#[doc = $doc])*
        #[repr(C)]
        pub struct $Name {
            $(pub $field: $Type,)*
        }

        const _: () = assert!(size_of::<$Name>() == $size);

        // SAFETY: repr(C), begins with the header, integers and bytes only; the assertion excludes padding.
        unsafe impl State for $Name {
            const KIND: u8 = $kind;
            const HAS_TAIL: bool = layout!(@has $($tail)?);
        }

        #[allow(dead_code, clippy::needless_lifetimes, reason = "not every account signs; some have no further seeds")]
        impl $Name {
            pub const SEED: &'static [u8] = $seed;

            /// Seeds of its address without the bump.
            pub fn seeds<'a>($($name: &'a [u8]),*) -> [&'a [u8]; 1 + layout!(@count $($name)*)] {
                [$seed, $($name),*]
            }

            /// Seeds with which it signs; the bump is the last.
            pub fn signer_seeds<'a>($($name: &'a [u8],)* bump: &'a [u8]) -> [Seed<'a>; 2 + layout!(@count $($name)*)] {
                [Seed::from($seed), $(Seed::from($name),)* Seed::from(bump)]
            }
        }
    };
    (@has) => { false };
    (@has $tail:ident) => { true };
    (@count) => { 0 };
    (@count $first:ident $($rest:ident)*) => { 1 + layout!(@count $($rest)*) };
}

mod approval;
mod balance_page;
mod batch;
mod bitmap_page;
mod config;
mod counter;
mod page;
mod personal;
mod pool;

mod recovery;
mod role;
mod schedule;
mod vault;
mod whitelist;
mod wiped_personal;

pub use approval::{Approval, CHANGE_DELAY, NOBODY, Terms};
pub use balance_page::{BalancePage, NO_OWNER, Slot};
pub use batch::{Batch, BatchPhase};
pub use bitmap_page::BitmapPage;
pub use config::{Config, Limits, check_flags, check_guardian_terms, check_keys};
pub use counter::Counter;
pub use page::{Page, RedeemedPage};
pub use personal::{Personal, Plan, Source, Withdrawing, check_wallet};
pub use pool::Pool;

pub use recovery::Recovery;
pub use role::{Role, RoleKind};
pub use schedule::{MAX_HELD, MissedWindows, Proposal, Schedule, SchedulePhase, ScheduleStatus};
pub use vault::Vault;
pub use whitelist::{Listed, WhitelistEntry};
pub use wiped_personal::{WipedPersonal, check_unread};

use crate::{calendar::CalendarUnit, errors::Failure};
use core::marker::PhantomData;
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

/// The number of a variant of `E`, or any other: an account's and an instruction's bytes come from outside.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Code<E> {
    pub number: u8,
    of: PhantomData<E>,
}

impl<E> Code<E> {
    pub const fn new(number: u8) -> Self {
        Code { number, of: PhantomData }
    }
}

macro_rules! codes {
    ($($Enum:ty),*) => {
        $(
            impl From<$Enum> for Code<$Enum> {
                fn from(variant: $Enum) -> Self {
                    Code::new(variant as u8)
                }
            }

            impl PartialEq<$Enum> for Code<$Enum> {
                fn eq(&self, variant: &$Enum) -> bool {
                    self.number == *variant as u8
                }
            }
        )*
    };
}

codes!(ScheduleStatus, SchedulePhase, MissedWindows, BatchPhase, CalendarUnit, RoleKind);

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

    /// A new account's state: zeros behind its header.
    fn blank(bump: u8) -> Self {
        // SAFETY: every bit pattern is valid, and the type begins with a header.
        unsafe {
            let mut state: Self = core::mem::zeroed();
            (&raw mut state).cast::<Header>().write(Header::new::<Self>(bump));
            state
        }
    }
}

/// The account is this program's, and its length, kind and version are the type's. They are proof of its address: this program creates
/// each kind at its derived address only.
pub fn check<T: State>(account: &AccountView, program_id: &Address) -> Result<(), Failure> {
    let length = account.data_len();
    let fits = if T::HAS_TAIL { length >= size_of::<T>() } else { length == size_of::<T>() };
    if !fits || !account.owned_by(program_id) {
        return Err(Failure::InvalidAccount);
    }
    // SAFETY: the length was checked; only this program's own instructions hold references, one per account.
    let data = unsafe { account.borrow_unchecked() };
    if data[0] != T::KIND || data[1] != T::VERSION {
        return Err(Failure::InvalidAccount);
    }
    Ok(())
}

/// Bytes after the fixed part `T`, to read.
///
/// # Safety
/// The account was checked to be a `T` with a tail and no mutable reference to its tail is alive.
pub unsafe fn tail<'a, T: State>(account: &AccountView) -> &'a [u8] {
    let length = account.data_len().saturating_sub(size_of::<T>());
    // SAFETY: the caller's contract; the range lies within the account's data.
    unsafe { core::slice::from_raw_parts(account.data_ptr().add(size_of::<T>()), length) }
}

/// Bytes after the fixed part `T`.
///
/// # Safety
/// The account was checked to be a `T` with a tail and no other reference to its tail is alive.
pub unsafe fn tail_mut<'a, T: State>(account: &mut AccountView) -> &'a mut [u8] {
    let length = account.data_len().saturating_sub(size_of::<T>());
    // SAFETY: the caller's contract; the range lies within the account's data.
    unsafe { core::slice::from_raw_parts_mut(account.data_mut_ptr().add(size_of::<T>()), length) }
}
