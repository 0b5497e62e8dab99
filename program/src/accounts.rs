//! Checks of single accounts and creation of this program's own.

use crate::errors::Failure;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
    error::ProgramError,
};
use pinocchio_system::create_account_with_minimum_balance_signed;

/// The account signed.
pub fn signer(account: &AccountView) -> ProgramResult {
    if account.is_signer() { Ok(()) } else { Err(ProgramError::MissingRequiredSignature) }
}

/// The account is the system program.
pub fn system_program(account: &AccountView) -> Result<(), Failure> {
    is(account, &pinocchio_system::ID)
}

/// The account is the one expected.
pub fn is(account: &AccountView, address: &Address) -> Result<(), Failure> {
    if account.address() == address { Ok(()) } else { Err(Failure::InvalidAccount) }
}

/// Derives an address and returns its canonical bump; fails unless it is the account's.
pub fn derived(account: &AccountView, seeds: &[&[u8]], program_id: &Address) -> Result<u8, Failure> {
    let (address, bump) = Address::try_find_program_address(seeds, program_id).ok_or(Failure::InvalidAddress)?;
    if account.address() == &address { Ok(bump) } else { Err(Failure::InvalidAddress) }
}

/// Address of known seeds (the bump last), without a search.
pub fn at(account: &AccountView, seeds: &[&[u8]], program_id: &Address) -> Result<(), Failure> {
    let address = Address::create_program_address(seeds, program_id).map_err(|_| Failure::InvalidAddress)?;
    if account.address() == &address { Ok(()) } else { Err(Failure::InvalidAddress) }
}

/// Closes an account of this program: its lamports go to the receiver, its bytes and owner are gone.
pub fn close(account: &mut AccountView, receiver: &mut AccountView) -> ProgramResult {
    let lamports = receiver.lamports().checked_add(account.lamports()).ok_or(Failure::Overflow)?;
    receiver.set_lamports(lamports);
    account.set_lamports(0);
    // SAFETY: nothing else refers to the account's bytes.
    unsafe { account.borrow_unchecked_mut() }.fill(0);
    account.close()
}

/// An account of this program to be created at a derived address: one struct, because the machine passes five arguments at most.
pub struct Create<'a> {
    pub account: &'a mut AccountView,
    /// Bytes.
    pub size: usize,
    pub payer: &'a AccountView,
    pub program_id: &'a Address,
    /// Seeds of the account's address, the bump last.
    pub seeds: &'a [Seed<'a>],
}

impl Create<'_> {
    /// Creates the account. Refuses one that exists; lamports sent ahead are tolerated.
    #[inline(never)]
    pub fn invoke(self) -> ProgramResult {
        if !self.account.owned_by(&pinocchio_system::ID) || !self.account.is_data_empty() {
            return Err(ProgramError::AccountAlreadyInitialized);
        }
        let signers = [Signer::from(self.seeds)];
        create_account_with_minimum_balance_signed(self.account, self.size, self.program_id, self.payer, None, &signers)
    }
}
