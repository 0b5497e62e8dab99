//! Base. Moves tokens into a vault. Anybody may fund any vault.

use crate::{prelude::*, token::Transfer};

accounts! {
    #[selector(7)]
    pub struct Accounts {
        #[signer] depositor: AccountView,
        #[writable] source_token: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] vault_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
    }
}

data! {
    pub struct Data {
        /// Base units.
        amount: u64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { depositor, source_token, mut vault, vault_token, mint, token_program } =
        Accounts::parse(accounts, program_id)?;
    let Data { amount } = Data::parse(data)?;

    vault.check_open()?;
    accounts::is(&vault_token, &vault.token_account)?;
    accounts::is(&mint, &vault.mint)?;
    if amount == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    // A vault's own tokens sent to itself would be counted without arriving.
    if source_token.address() == vault_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }

    vault.deposited = vault.deposited.wrapping_add(amount);
    let (from, to, mint, token_program) = (&source_token, &vault_token, &mint, &token_program);
    Transfer { from, to, mint, token_program, amount, decimals: vault.decimals }.invoke(&depositor, &[])?;
    events::Deposited { vault: *vault.address(), amount }.emit();
    Ok(())
}
