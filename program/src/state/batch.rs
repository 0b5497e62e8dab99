use super::{Code, Header, State};
use crate::{errors::Failure, hash::Hash};
use pinocchio::{Address, cpi::Seed};

/// Where a window's payments stand.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum BatchPhase {
    Idle = 0,
    Open = 1,
    /// The layer has finished and sent the batch back; it is to be settled.
    Closed = 2,
}

layout! {
    /// One open window's payments; delegated to the execution layer while it is open. A bitmap of the recipients paid or held back
    /// follows.
    #[account(kind = 6, size = 192, bitmap)]
    #[seeds(b"batch", schedule: Address)]
    pub struct Batch {
        pub header: Header,
        pub phase: Code<BatchPhase>,
        pub recipients: u32,
        pub schedule: Address,
        pub mint: Address,
        pub root: Hash,
        pub window: u64,
        /// Unix seconds.
        pub opened_at: i64,
        /// Seconds.
        pub batch_timeout: u32,
        pub paid_count: u32,
        /// Base units; budget = amount − paid_amount.
        pub amount: u64,
        pub paid_amount: u64,
        /// Over the bits of those paid or held back.
        pub bitmap_hash: Hash,
        /// Recipients held back: their bits are set when the window opens.
        pub held_count: u32,
        /// Balances created for those who are paid.
        pub new_count: u32,
        pub reserved: [u8; 8],
    }
}

impl Batch {
    /// What a CPI can create and a delegation restore.
    const MAX_SIZE: usize = 10_240;
    /// Recipients whose bitmap fits.
    pub const MAX_RECIPIENTS: u32 = ((Self::MAX_SIZE - size_of::<Batch>()) * 8) as u32;

    /// A window's payments go on.
    pub fn check_open(&self) -> Result<(), Failure> {
        if self.phase == BatchPhase::Open { Ok(()) } else { Err(Failure::BatchNotOpen) }
    }

    /// Everybody who is not held back is paid.
    pub fn is_complete(&self) -> bool {
        self.paid_count.checked_add(self.held_count).is_some_and(|done| done >= self.recipients)
    }

    /// Bytes of an account for `recipients`.
    pub fn size(recipients: u32) -> usize {
        size_of::<Batch>().wrapping_add(recipients.div_ceil(8) as usize)
    }
}

const _: () = assert!(Batch::MAX_RECIPIENTS == 80_384);
