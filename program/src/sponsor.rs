//! Pays for the accounts that payouts open. A system account at an address of this program, so that nobody else can have it sign:
//! the pool's escrow could be emptied by any validator that the delegation program knows.

use crate::{accounts, amount, errors::Failure, state::Pool, token::CreateAssociated};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
    error::ProgramError,
    sysvars::{Sysvar, rent::Rent},
};
use pinocchio_system::instructions::Transfer;

const SEED: &[u8] = b"sponsor";

/// The address of a token's sponsor, and its bump.
pub fn find(mint: &Address, program_id: &Address) -> Result<(Address, u8), Failure> {
    accounts::find(&[SEED, mint.as_ref()], program_id)
}

/// A token's sponsor, which signs for what is done here and for nothing else.
pub struct Sponsor<'a> {
    account: &'a AccountView,
    mint: &'a Address,
    bump: [u8; 1],
}

impl<'a> Sponsor<'a> {
    /// Takes the account at the sponsor's address.
    pub fn new(account: &'a AccountView, mint: &'a Address, bump: u8, program_id: &Address) -> Result<Self, Failure> {
        accounts::at(account, &[SEED, mint.as_ref()], bump, program_id)?;
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

/// Lamports that a sponsor lacks for all token accounts that can be opened with what the pool holds, at a price each. Whoever empties a wallet
/// through the relay gives its account's lamports back, and the next windows pay less. Nothing where the sponsor was never filled: the ledger
/// takes no account with less than its rent, and no window may wait for that.
pub fn lacking(sponsor: &AccountView, pool: &Pool, price: u32) -> Result<u64, ProgramError> {
    let own = Rent::get()?.try_minimum_balance(0)?;
    let Some(held) = sponsor.lamports().checked_sub(own) else {
        return Ok(0);
    };
    let needed = amount::mul(u64::from(price), pool.openings_held()).unwrap_or(u64::MAX);
    Ok(needed.saturating_sub(held))
}
