use super::{Header, State, tail_mut};
use crate::{context::Account, data::InPlace, errors::Failure, hash::Hash};
use pinocchio::{Address, cpi::Seed};

/// Private balances in a page.
const SLOTS: usize = 248;

layout! {
    /// Private balances of one token, an ephemeral account of the execution layer that nobody but the execution authority may read: 248
    /// slots follow. Its nonce makes its address unguessable.
    #[account(kind = 5, size = 304, slots)]
    #[seeds(b"balances", mint: Address, nonce: [u8; 16])]
    pub struct BalancePage {
        pub header: Header,
        pub reserved_head: u8,
        /// Among the token's pages: its slots are the leaves from 256 × number on of the liabilities tree.
        pub number: u32,
        pub mint: Address,
        pub nonce: [u8; 16],
        /// By slot, 1: there is an account of what its recipient asks. Each balance has one at most, for others pay for it.
        pub has_personal: [u8; SLOTS],
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

    /// Notes that a balance has an account of what its recipient asks, which it must not have yet.
    pub fn open_personal(&mut self, slot: u8, owner: &Hash) -> Result<(), Failure> {
        self.slot_of(slot, owner)?;
        let flag = self.has_personal.get_mut(usize::from(slot)).ok_or(Failure::InvalidAccount)?;
        if core::mem::replace(flag, 1) == 0 { Ok(()) } else { Err(Failure::PersonalExists) }
    }

    /// Notes that it has none any more.
    pub fn close_personal(&mut self, slot: u8, owner: &Hash) -> Result<(), Failure> {
        self.slot_of(slot, owner)?;
        *self.has_personal.get_mut(usize::from(slot)).ok_or(Failure::InvalidAccount)? = 0;
        Ok(())
    }

    /// A slot; nothing where the page has none of this number.
    #[inline(always)]
    pub fn slot(&mut self, slot: u8) -> Option<&mut Slot> {
        // SAFETY: taken as a page, and the reference to its tail lives as long as the one to the page.
        let bytes = unsafe { tail_mut::<BalancePage>(&mut self.view) };
        let (slots, _) = bytes.as_chunks_mut::<{ size_of::<Slot>() }>();
        let bytes = slots.get_mut(usize::from(slot))?;
        // SAFETY: as many bytes as a slot has, aligned to 8 behind a head of 304.
        Some(unsafe { &mut *bytes.as_mut_ptr().cast::<Slot>() })
    }
}
