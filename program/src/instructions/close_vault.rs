//! Base. The employer closes a vault without schedules: what it holds goes out, its token account is closed. The vault's own account
//! stays, with its lifetime counters and the next schedule's id, so that no schedule's address is ever used twice.

use crate::{
    prelude::*,
    token::{self, Close, Transfer},
};

accounts! {
    #[selector(19)]
    pub struct Accounts {
        #[signer] #[writable] employer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] vault_token: AccountView,
        #[writable] destination_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, mut vault, vault_token, destination_token, mint, token_program } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    vault.check_employer(&employer)?;
    accounts::is(&vault_token, &vault.token_account)?;
    accounts::is(&mint, &vault.mint)?;
    if destination_token.address() == vault_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }
    // Else whoever has the employer's key alone would go round the approver by closing.
    if vault.approval != 0 {
        return Err(Failure::ApprovalPolicyStands.into());
    }
    if vault.schedules != 0 || vault.reserved != 0 || vault.open != 0 {
        return Err(Failure::VaultNotEmpty.into());
    }
    let available = vault.available()?;
    let held = token::amount_of(&vault_token)?;
    if held < available {
        return Err(Failure::InsufficientAvailable.into());
    }

    vault.withdrawn = vault.withdrawn.wrapping_add(available);
    vault.closed = 1;
    let (mint, token_program) = (&mint, &token_program);
    // Tokens that somebody sent without a deposit would keep the account from being closed.
    if held > 0 {
        let (from, to, decimals) = (&vault_token, &destination_token, vault.decimals);
        Transfer { from, to, mint, token_program, amount: held, decimals }.out_of_vault(&vault)?;
    }
    Close { account: &vault_token, receiver: &employer, mint, token_program }.invoke(&vault)?;
    events::VaultClosed { vault: *vault.address(), returned: held }.emit();
    Ok(())
}
