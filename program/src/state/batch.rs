use super::{Code, Header, MAX_HELD, State};
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
    /// One open window's payments; delegated to the execution layer while it is open, where pages of a bitmap say who is paid.
    #[account(kind = 6, size = 320)]
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
        /// Over the bits of those paid or held back; zero: the batch came back without them.
        pub bitmap_hash: Hash,
        /// Recipients held back: their bits are set from the start.
        pub held_count: u32,
        /// Balances created for those who are paid.
        pub new_count: u32,
        /// Pages of the bitmap that were made, a bit each: nobody makes a second one, where nobody would be paid yet.
        pub bitmap_pages: u32,
        /// Drawn by chance with the first page: nobody can send lamports ahead to the pages' addresses, which would keep them from being made.
        pub bitmap_nonce: u32,
        /// Indexes of recipients held back; the first `held_count` count.
        pub held: [u32; MAX_HELD],
    }
}

impl Batch {
    /// A list's recipients at most: sixteen pages of the bitmap, which a commit takes all at once.
    pub const MAX_RECIPIENTS: u32 = 1 << 20;

    /// A window's payments go on.
    pub fn check_open(&self) -> Result<(), Failure> {
        if self.phase == BatchPhase::Open { Ok(()) } else { Err(Failure::BatchNotOpen) }
    }

    /// Everybody who is not held back is paid.
    pub fn is_complete(&self) -> bool {
        self.paid_count.checked_add(self.held_count).is_some_and(|done| done >= self.recipients)
    }

    /// Indexes held back.
    pub fn held(&self) -> &[u32] {
        self.held.get(..self.held_count as usize).unwrap_or(&[])
    }
}
