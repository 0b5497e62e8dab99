use super::{Header, State};
use crate::errors::Failure;
use pinocchio::Address;

/// Marks numbers of one token that must count once; a bitmap of `NUMBERS` bits follows. Of withdrawals: PDA
/// `["page", mint, page]`.
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
    /// Numbers a page holds.
    pub const NUMBERS: u64 = 8_192;
    pub const SIZE: usize = size_of::<Page>() + (Self::NUMBERS / 8) as usize;

    /// Page that holds a number.
    pub fn of(number: u64) -> Result<u32, Failure> {
        u32::try_from(number / Self::NUMBERS).map_err(|_| Failure::Overflow)
    }

    /// Bit of a number in its page.
    pub fn bit(number: u64) -> usize {
        (number % Self::NUMBERS) as usize
    }
}

/// A page over leaf indexes of the liabilities tree, of those redeemed. PDA `["redeemed", mint, page]`.
#[repr(C)]
pub struct RedeemedPage(pub Page);

// SAFETY: as for `Page`.
unsafe impl State for RedeemedPage {
    const KIND: u8 = 10;
    const HAS_TAIL: bool = true;
}
