use super::{Header, State};
use pinocchio::Address;

/// Marks which withdrawal numbers were paid; a bitmap of `NUMBERS` bits follows. PDA `["page", mint, page]`.
#[repr(C)]
pub struct Page {
    pub header: Header,
    pub reserved_head: u8,
    pub page: u32,
    pub mint: Address,
    pub reserved: [u8; 24],
}

const _: () = assert!(size_of::<Page>() == 64);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Page {
    const KIND: u8 = 8;
    const HAS_TAIL: bool = true;
}

impl Page {
    pub const SEED: &'static [u8] = b"page";
    /// Withdrawal numbers a page holds.
    pub const NUMBERS: u64 = 8_192;
    pub const SIZE: usize = size_of::<Page>() + (Self::NUMBERS / 8) as usize;

    /// Page that holds a withdrawal number.
    pub fn of(number: u64) -> Option<u32> {
        u32::try_from(number / Self::NUMBERS).ok()
    }
}
