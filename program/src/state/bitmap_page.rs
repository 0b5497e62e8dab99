use super::{Batch, Header, State, tail, tail_mut};
use crate::{context::Account, errors::Failure, hash};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Who of an open window's list is paid or held back, an ephemeral account of the execution layer that exists while the window is open.
    /// The bits of 65,536 leaves follow, of the last page as many as the list has left.
    #[account(kind = 12, size = 48, bitmap)]
    #[seeds(b"bitmap", schedule: Address, window: u64, nonce: u32, number: u32)]
    pub struct BitmapPage {
        pub header: Header,
        pub reserved_head: u8,
        /// Its first bit is that of leaf 65,536 × number.
        pub number: u32,
        pub schedule: Address,
        pub window: u64,
    }
}

impl BitmapPage {
    pub const BITS: u32 = 1 << 16;

    /// How many pages the bits of so many recipients take.
    pub const fn count(recipients: u32) -> u32 {
        recipients.div_ceil(Self::BITS)
    }

    /// Bytes of the account of a page of so many recipients.
    pub fn size(number: u32, recipients: u32) -> usize {
        let left = recipients.saturating_sub(number.saturating_mul(Self::BITS)).min(Self::BITS);
        size_of::<Self>().wrapping_add(left.div_ceil(8) as usize)
    }
}

const _: () = assert!(BitmapPage::count(Batch::MAX_RECIPIENTS) as usize == hash::MOST_BITMAP_PAGES);

impl Account<BitmapPage> {
    /// It is the window's, and has this number.
    pub fn check_of(&self, batch: &Batch, number: u32) -> Result<(), Failure> {
        let is_its = self.schedule == batch.schedule && self.window == batch.window && self.number == number;
        if is_its { Ok(()) } else { Err(Failure::InvalidAccount) }
    }

    pub fn bits(&self) -> &[u8] {
        // SAFETY: taken as a page of a bitmap, and the reference to its tail lives as long as the one to the page.
        unsafe { tail::<BitmapPage>(&self.view) }
    }

    pub fn bits_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bits`.
        unsafe { tail_mut::<BitmapPage>(&mut self.view) }
    }
}
