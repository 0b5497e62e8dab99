//! Base. Books as a deposit what was sent to a vault's token account without one. Anybody may: the tokens are there already.

use crate::{prelude::*, token};

accounts! {
    #[selector(57)]
    pub struct Accounts {
        #[writable] vault: Account<Vault>,
        vault_token: AccountView,
        mint: AccountView,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { mut vault, vault_token, mint } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    vault.check_open()?;
    accounts::is(&mint, &vault.mint)?;
    token::check_associated(&vault_token, vault.address(), &mint)?;
    // Open windows' amounts lie in the pool.
    let booked = vault.held().saturating_sub(vault.open);
    let surplus = token::amount_of(&vault_token)?.saturating_sub(booked);
    if surplus == 0 {
        return Err(Failure::ZeroAmount.into());
    }

    vault.deposited = vault.deposited.wrapping_add(surplus);
    events::Deposited { vault: *vault.address(), amount: surplus }.emit();
    Ok(())
}
