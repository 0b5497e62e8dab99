use super::{Header, State};
use pinocchio::Address;

/// Numbers the withdrawals of one token; delegated to the execution layer for good. PDA `["counter", mint]`.
#[repr(C)]
pub struct Counter {
    pub header: Header,
    pub reserved_head: [u8; 5],
    pub mint: Address,
    /// Next withdrawal number, from 1.
    pub next: u64,
    /// Base units asked for since the beginning.
    pub requested: u64,
    pub reserved: [u8; 8],
}

const _: () = assert!(size_of::<Counter>() == 64);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Counter {
    const KIND: u8 = 7;
}

impl Counter {
    pub const SEED: &'static [u8] = b"counter";
}
