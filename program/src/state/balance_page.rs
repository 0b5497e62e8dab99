use super::{Header, State, tail_mut};
use crate::{context::Account, data::InPlace, errors::Failure, hash::Hash};
use pinocchio::{Address, cpi::Seed};

/// Owner of a free slot. No recipient is known whose hash is zero; a list may name one all the same, who is never paid.
pub const NO_OWNER: Hash = [0; 32];

/// Private balances in a page.
const SLOTS: usize = 240;
/// In a personal account's number: there is one.
const IS_THERE: u16 = 1 << 15;

layout! {
    /// Private balances of one token, an ephemeral account of the execution layer that nobody but the execution authority may read: 240
    /// slots follow. Its nonce makes its address unguessable, and those of its balances' personal accounts.
    #[account(kind = 5, size = 536, slots)]
    #[seeds(b"balances", mint: Address, nonce: [u8; 16])]
    pub struct BalancePage {
        pub header: Header,
        pub reserved_head: u8,
        /// Among the token's pages: its slots are the leaves from 256 × number on of the liabilities tree.
        pub number: u32,
        pub mint: Address,
        pub nonce: [u8; 16],
        /// By slot, the number of the last account of what its recipient asks, 0: there was none; with 32,768 added as long as it is there. Each
        /// balance has one at most, for others pay for it.
        pub personal: [u16; SLOTS],
    }
}

/// Where the money of a balance goes: `owner` hashes it.
#[repr(u8)]
#[allow(dead_code, reason = "only employers name both")]
pub enum Delivery {
    Balance = 0,
    /// On to the recipient's own wallet.
    Wallet = 1,
}

/// A private balance.
#[repr(C)]
pub struct Slot {
    /// Hash of who owns it; zero: nobody yet. It names nobody to whoever reads the page.
    pub owner: Hash,
    /// Base units, without withdrawals that have their numbers.
    pub amount: u64,
}

// SAFETY: an address's bytes and an integer, without padding.
unsafe impl InPlace for Slot {}

impl BalancePage {
    pub const SIZE: usize = size_of::<BalancePage>() + SLOTS * size_of::<Slot>();
}

const _: () = assert!(BalancePage::SIZE <= 10_240 && size_of::<Slot>() == 40);

impl Account<BalancePage> {
    /// A slot that has the owner.
    pub fn slot_of(&mut self, slot: u8, owner: &Hash) -> Result<&mut Slot, Failure> {
        let found = self.slot(slot).ok_or(Failure::InvalidAccount)?;
        if &found.owner == owner { Ok(found) } else { Err(Failure::NotOwner) }
    }

    /// What is noted of a balance's account of what its recipient asks.
    pub fn personal_of(&mut self, slot: u8, owner: &Hash) -> Result<&mut u16, Failure> {
        self.slot_of(slot, owner)?;
        self.personal.get_mut(usize::from(slot)).ok_or(Failure::InvalidAccount)
    }

    /// Notes that a balance has an account of what its recipient asks with this number, where it has none yet.
    pub fn open_personal(&mut self, slot: u8, owner: &Hash, number: u16) -> Result<(), Failure> {
        let noted = self.personal_of(slot, owner)?;
        if number == 0 || number >= IS_THERE {
            return Err(Failure::InvalidData);
        }
        if *noted & IS_THERE != 0 {
            return Err(Failure::PersonalExists);
        }
        *noted = number | IS_THERE;
        Ok(())
    }

    /// Notes that it has none any more.
    pub fn close_personal(&mut self, slot: u8, owner: &Hash) -> Result<(), Failure> {
        *self.personal_of(slot, owner)? &= !IS_THERE;
        Ok(())
    }

    /// A slot; nothing where the page has none of this number.
    #[inline(always)]
    pub fn slot(&mut self, slot: u8) -> Option<&mut Slot> {
        // SAFETY: taken as a page, and the reference to its tail lives as long as the one to the page.
        let bytes = unsafe { tail_mut::<BalancePage>(&mut self.view) };
        let (slots, _) = bytes.as_chunks_mut::<{ size_of::<Slot>() }>();
        let bytes = slots.get_mut(usize::from(slot))?;
        // SAFETY: as many bytes as a slot has, aligned to 8 behind a head of 536.
        Some(unsafe { &mut *bytes.as_mut_ptr().cast::<Slot>() })
    }
}
