//! Checks of single accounts, creation and closing of this program's own.

use crate::{
    context::{Account, Derived},
    errors::Failure,
    state::State,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
    error::ProgramError,
};
use pinocchio_system::{
    create_account_with_minimum_balance_signed,
    instructions::{Allocate, Assign},
};

/// The account is the one expected.
pub fn is(account: &AccountView, address: &Address) -> Result<(), Failure> {
    if account.address() == address { Ok(()) } else { Err(Failure::InvalidAccount) }
}

/// Derives an address and its canonical bump. Each bump that is tried takes a hash and a look at the curve: about 300 units, where the ledger's
/// own search takes 1,500.
#[inline(never)]
pub fn find<const N: usize>(seeds: &[&[u8]; N], program_id: &Address) -> Result<(Address, u8), Failure> {
    Address::derive_program_address(seeds, program_id).ok_or(Failure::InvalidAddress)
}

/// Derives an address and returns its canonical bump; fails unless it is the account's.
pub fn derived<const N: usize>(account: &AccountView, seeds: &[&[u8]; N], program_id: &Address) -> Result<u8, Failure> {
    let (address, bump) = find(seeds, program_id)?;
    if account.address() == &address { Ok(bump) } else { Err(Failure::InvalidAddress) }
}

/// The account's address derives from seeds with a bump that `find` found: it is not looked for again whether that is on the curve.
pub fn at<const N: usize>(
    account: &AccountView,
    seeds: &[&[u8]; N],
    bump: u8,
    program_id: &Address,
) -> Result<(), Failure> {
    let address = Address::derive_address(seeds, Some(bump), program_id);
    if account.address() == &address { Ok(()) } else { Err(Failure::InvalidAddress) }
}

/// Moves lamports out of an account of this program.
pub fn move_lamports(from: &mut AccountView, to: &mut AccountView, lamports: u64) -> ProgramResult {
    from.set_lamports(from.lamports().checked_sub(lamports).ok_or(Failure::Overflow)?);
    to.set_lamports(to.lamports().checked_add(lamports).ok_or(Failure::Overflow)?);
    Ok(())
}

/// Closes an account of this program: its lamports go to the receiver, its bytes and owner are gone.
pub fn close(account: &mut AccountView, receiver: &mut AccountView) -> ProgramResult {
    let lamports = account.lamports();
    move_lamports(account, receiver, lamports)?;
    // SAFETY: nothing else refers to the account's bytes.
    unsafe { account.borrow_unchecked_mut() }.fill(0);
    account.close()
}

/// How an account of this program is created: one struct, because the machine passes five arguments at most.
pub struct Creation<'a, const N: usize> {
    pub payer: &'a AccountView,
    pub program_id: &'a Address,
    /// Seeds of the account's address without the bump.
    pub seeds: &'a [&'a [u8]; N],
    /// Bytes.
    pub size: usize,
}

/// Most seeds of an address of this program, the bump included.
const MOST_SEEDS: usize = 4;

impl<T: State> Derived<T> {
    /// Creates the account with its header; what follows is zero.
    #[inline(always)]
    pub fn create<const N: usize>(mut self, creation: &Creation<N>) -> Result<Account<T>, ProgramError> {
        let bump = creation.invoke(&mut self.view)?;
        Ok(Account::created(&self.view, bump)?)
    }
}

impl<const N: usize> Creation<'_, N> {
    /// Refuses an account that exists, and one at another address; lamports sent ahead are tolerated.
    #[inline(never)]
    pub fn invoke(&self, account: &mut AccountView) -> Result<u8, ProgramError> {
        self.signed(account, |account, signers| {
            create_account_with_minimum_balance_signed(account, self.size, self.program_id, self.payer, None, signers)
        })
    }

    /// The same for an account that is closed before the instruction ends, which needs no rent.
    #[inline(never)]
    pub fn without_rent(&self, account: &mut AccountView) -> Result<u8, ProgramError> {
        self.signed(account, |account, signers| {
            Allocate { account, space: self.size as u64 }.invoke_signed(signers)?;
            Assign { account, owner: self.program_id }.invoke_signed(signers)
        })
    }

    #[inline(always)]
    fn signed(
        &self,
        account: &mut AccountView,
        create: impl FnOnce(&mut AccountView, &[Signer]) -> ProgramResult,
    ) -> Result<u8, ProgramError> {
        let bump = derived(account, self.seeds, self.program_id)?;
        if !account.owned_by(&pinocchio_system::ID) || !account.is_data_empty() {
            return Err(ProgramError::AccountAlreadyInitialized);
        }
        let bump_seed = [bump];
        let seeds: [Seed; MOST_SEEDS] =
            core::array::from_fn(|place| Seed::from(self.seeds.get(place).copied().unwrap_or(&bump_seed)));
        let seeds = seeds.get(..=N).ok_or(Failure::InvalidAddress)?;
        create(account, &[Signer::from(seeds)])?;
        Ok(bump)
    }
}
