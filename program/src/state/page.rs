use super::{Header, State};
use crate::errors::Failure;
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Which of 8,192 withdrawal numbers of one token have been paid.
    #[account(kind = 8, size = 64, bitmap)]
    #[seeds(b"page", mint: Address, page: u32)]
    pub struct Page {
        pub header: Header,
        pub reserved_head: u8,
        pub page: u32,
        pub mint: Address,
        pub reserved: [u8; 24],
    }
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

layout! {
    /// Which of 8,192 leaves of the liabilities tree are redeemed.
    #[account(kind = 10, size = 64, bitmap)]
    #[seeds(b"redeemed", mint: Address, page: u32)]
    pub struct RedeemedPage {
        #[flatten]
        pub page: Page,
    }
}
