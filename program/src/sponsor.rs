//! Pays for the accounts that payouts open. A system account at an address of this program, so that nobody else can have it sign:
//! the pool's escrow could be emptied by any validator that the delegation program knows.

use crate::{accounts, errors::Failure, token::CreateAssociated};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
    sysvars::{Sysvar, rent::Rent},
};
use pinocchio_system::instructions::Transfer;

const SEED: &[u8] = b"sponsor";

/// Seeds of the address of a token's sponsor, without the bump.
pub fn seeds(mint: &Address) -> [&[u8]; 2] {
    [SEED, mint.as_ref()]
}

/// A token's sponsor, which signs for what is done here and for nothing else.
pub struct Sponsor<'a> {
    account: &'a AccountView,
    mint: &'a Address,
    bump: [u8; 1],
}

impl<'a> Sponsor<'a> {
    /// Takes the account at the sponsor's address.
    pub fn new(account: &'a AccountView, mint: &'a Address, program_id: &Address) -> Result<Self, Failure> {
        let bump = accounts::derived(account, &seeds(mint), program_id)?;
        Ok(Sponsor { account, mint, bump: [bump] })
    }

    fn signer_seeds(&self) -> [Seed<'_>; 3] {
        [Seed::from(SEED), Seed::from(self.mint.as_ref()), Seed::from(&self.bump)]
    }

    /// Gives an account of so many bytes that is to be created what its rent lacks.
    pub fn fund(&self, account: &AccountView, bytes: usize) -> ProgramResult {
        let lamports = Rent::get()?.try_minimum_balance(bytes)?.saturating_sub(account.lamports());
        if lamports == 0 {
            return Ok(());
        }
        let seeds = self.signer_seeds();
        Transfer { from: self.account, to: account, lamports }.invoke_signed(&[Signer::from(&seeds)])
    }

    /// Opens a wallet's token account if it is missing.
    pub fn open(&self, opening: &CreateAssociated) -> ProgramResult {
        let seeds = self.signer_seeds();
        opening.invoke_idempotent(self.account, &[Signer::from(&seeds)])
    }
}
