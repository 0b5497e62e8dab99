//! Base. Creates an employer's vault for a mint that has a pool, or opens a closed one again.

use crate::{prelude::*, state::Listed, token};
use pinocchio::error::ProgramError;

accounts! {
    #[selector(6)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[seeds(subject = employer)] employer_entry: Derived<WhitelistEntry>,
        #[seeds(subject = mint)] mint_entry: Derived<WhitelistEntry>,
        pool: Account<Pool>,
        #[writable] vault: Derived<Vault>,
        mint: AccountView,
        vault_token: AccountView,
        system_program: Known<SystemProgram>,
    }
}

/// A closed vault goes on with its counters.
fn reopen(mut vault: Account<Vault>) -> ProgramResult {
    if vault.closed == 0 {
        return Err(ProgramError::AccountAlreadyInitialized);
    }
    vault.closed = 0;
    Ok(())
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, config, employer_entry, mint_entry, pool, vault, mint, vault_token, .. } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let is_asked = config.flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: &employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    let is_asked = config.asks_for_mint(pool.has_powers);
    Listed { entry: &mint_entry, subject: mint.address(), is_asked, program_id }.check()?;
    if &pool.mint != mint.address() {
        return Err(Failure::InvalidMint.into());
    }
    let seeds = Vault::seeds(employer.address().as_ref(), mint.address().as_ref());
    token::check_associated(&vault_token, vault.address(), &mint)?;

    let address = *vault.address();
    if vault.owned_by(program_id) {
        accounts::derived(&vault, &seeds, program_id)?;
        reopen(Account::of(&vault, program_id)?)?;
    } else {
        let mut vault =
            vault.create(&Creation { payer: &payer, program_id, seeds: &seeds, size: size_of::<Vault>() })?;
        vault.decimals = pool.decimals;
        vault.has_powers = pool.has_powers;
        vault.employer = *employer.address();
        vault.mint = *mint.address();
        vault.token_account = *vault_token.address();
    }
    events::VaultOpened { vault: address }.emit();
    Ok(())
}
