use super::{Header, State};
use pinocchio::Address;

/// A recipient's private balance of one token, an ephemeral account of the execution layer. PDA `["balance", balance_seed]`.
#[repr(C)]
pub struct Balance {
    pub header: Header,
    pub reserved_head: [u8; 5],
    /// Base units, without a withdrawal under way.
    pub amount: u64,
    pub mint: Address,
    pub recipient: Address,
    /// Number of the withdrawal under way; 0 when there is none.
    pub pending_number: u64,
    pub pending_amount: u64,
    pub pending_wallet: Address,
    /// Unix seconds of the last issue.
    pub pending_since: i64,
    pub reserved: [u8; 56],
}

const _: () = assert!(size_of::<Balance>() == 192);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Balance {
    const KIND: u8 = 5;
}

impl Balance {
    pub const SEED: &'static [u8] = b"balance";
}
