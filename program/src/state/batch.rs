use super::{Header, State};
use pinocchio::Address;

/// Where a window's payments stand.
#[repr(u8)]
pub enum Phase {
    Idle = 0,
    Open = 1,
    /// The layer has finished and sent the batch back; it is to be settled.
    Closed = 2,
}

/// One open window's payments; delegated to the execution layer while it is open. A bitmap of the recipients paid or held back
/// follows.
/// PDA `["batch", schedule]`.
#[repr(C)]
pub struct Batch {
    pub header: Header,
    pub phase: u8,
    pub recipients: u32,
    pub schedule: Address,
    pub mint: Address,
    pub root: [u8; 32],
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
    pub bitmap_hash: [u8; 32],
    /// Recipients held back: their bits are set when the window opens.
    pub held_count: u32,
    pub reserved: [u8; 12],
}

const _: () = assert!(size_of::<Batch>() == 192);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Batch {
    const KIND: u8 = 6;
    const HAS_TAIL: bool = true;
}

impl Batch {
    pub const SEED: &'static [u8] = b"batch";
    /// What a CPI can create and a delegation restore.
    const MAX_SIZE: usize = 10_240;
    /// Recipients whose bitmap fits.
    pub const MAX_RECIPIENTS: u32 = ((Self::MAX_SIZE - size_of::<Batch>()) * 8) as u32;

    /// Everybody who is not held back is paid.
    pub fn is_complete(&self) -> bool {
        self.paid_count.checked_add(self.held_count).is_some_and(|done| done >= self.recipients)
    }

    /// A batch without a window, or a new window's.
    pub fn fresh(bump: u8, schedule: Address, mint: Address) -> Self {
        Batch {
            header: Header::new::<Batch>(bump),
            phase: Phase::Idle as u8,
            recipients: 0,
            schedule,
            mint,
            root: [0; 32],
            window: 0,
            opened_at: 0,
            batch_timeout: 0,
            paid_count: 0,
            amount: 0,
            paid_amount: 0,
            bitmap_hash: [0; 32],
            held_count: 0,
            reserved: [0; 12],
        }
    }

    /// Bytes of an account for `recipients`.
    pub fn size(recipients: u32) -> usize {
        size_of::<Batch>().wrapping_add(recipients.div_ceil(8) as usize)
    }
}

const _: () = assert!(Batch::MAX_RECIPIENTS == 80_384);
