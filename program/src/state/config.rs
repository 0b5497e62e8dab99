use super::{Header, State};
use pinocchio::Address;

/// Who may do what, and limits. PDA `["config"]`.
#[repr(C)]
pub struct Config {
    pub header: Header,
    pub flags: u8,
    /// Recipients a schedule may have.
    pub max_recipients: u32,
    pub governance: Address,
    pub pending_governance: Address,
    /// The key that may open, claim and commit.
    pub execution_authority: Address,
    /// Identity of the execution layer's validator: batches are delegated to it alone.
    pub validator: Address,
    /// Seconds.
    pub min_interval: u32,
    /// Seconds.
    pub min_batch_timeout: u32,
    /// Seconds.
    pub max_batch_timeout: u32,
    /// Leaves that one claim instruction may hold.
    pub max_claims: u16,
    pub reserved: [u8; 106],
}

const _: () = assert!(size_of::<Config>() == 256);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Config {
    const KIND: u8 = 1;
}

impl Config {
    pub const SEED: &'static [u8] = b"config";
}
