use super::{Header, State};
use pinocchio::Address;

/// What a schedule may do next.
#[repr(u8)]
pub enum Status {
    Active = 0,
    // 1 paused, 2 cancelled: nothing sets them yet
    Completed = 3,
}

/// Whether a window is open.
#[repr(u8)]
pub enum Phase {
    Idle = 0,
    Open = 1,
}

/// What happens to windows that nobody opened in time.
#[repr(u8)]
pub enum Missed {
    // 0 catch up: each is opened, in order, one at a time
    /// The next execution is the first one still ahead.
    Skip = 1,
}

/// A recurring payout's terms and counters. Never delegated, so the execution layer can't change any of it.
/// PDA `["schedule", vault, id]`.
#[repr(C)]
pub struct Schedule {
    pub header: Header,
    pub status: u8,
    pub phase: u8,
    pub missed: u8,
    pub batch_bump: u8,
    pub reserved_head: u8,
    pub vault: Address,
    pub mint: Address,
    pub root: [u8; 32],
    pub id: u64,
    /// Base units per execution.
    pub amount: u64,
    /// Seconds.
    pub interval: u64,
    /// Unix seconds.
    pub next_execution: i64,
    /// Number of the open window, or of the next one.
    pub window: u64,
    pub recipients: u32,
    pub executions_left: u32,
    /// Seconds.
    pub batch_timeout: u32,
    pub root_version: u32,
    /// Unix seconds; 0 when no window is open.
    pub opened_at: i64,
    /// The open window's amount: the bound on whatever the execution layer returns. Base units.
    pub window_amount: u64,
    pub window_recipients: u32,
    pub window_root_version: u32,
    pub last_paid_count: u32,
    pub reserved_count: u32,
    pub last_paid_amount: u64,
    pub last_bitmap_hash: [u8; 32],
    /// Unix seconds.
    pub last_settled_at: i64,
    pub paid_total: u64,
    pub reserved: [u8; 72],
}

const _: () = assert!(size_of::<Schedule>() == 320);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Schedule {
    const KIND: u8 = 4;
}

impl Schedule {
    pub const SEED: &'static [u8] = b"schedule";
}
