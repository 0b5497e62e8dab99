//! Base. The employer takes tokens out of their vault, as far as none are promised. Above the vault's limits the approver signs too:
//! `withdraw_approved`.

use crate::{prelude::*, token::Transfer};

accounts! {
    #[selector(8)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] vault_token: AccountView,
        #[writable] destination_token: AccountView,
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
    let Accounts { employer, mut vault, vault_token, destination_token, mint, token_program } =
        Accounts::parse(accounts, program_id)?;
    let Data { amount } = Data::parse(data)?;

    if !vault.spend_alone(amount, amount, now()?) {
        return Err(Failure::ApprovalRequired.into());
    }
    Withdrawal { employer, vault, vault_token, destination_token, mint, token_program, amount }.invoke()
}

/// Tokens that leave a vault: one struct, because the machine passes five arguments at most.
pub struct Withdrawal {
    pub employer: AccountView,
    pub vault: Account<Vault>,
    pub vault_token: AccountView,
    pub destination_token: AccountView,
    pub mint: AccountView,
    pub token_program: AccountView,
    /// Base units.
    pub amount: u64,
}

impl Withdrawal {
    /// Checks everything but the approver, and transfers.
    #[inline(never)]
    pub fn invoke(self) -> ProgramResult {
        let Withdrawal { employer, mut vault, vault_token, destination_token, mint, token_program, amount } = self;
        vault.check_employer(&employer)?;
        accounts::is(&vault_token, &vault.token_account)?;
        accounts::is(&mint, &vault.mint)?;
        if amount == 0 {
            return Err(Failure::ZeroAmount.into());
        }
        if amount > vault.available()? {
            return Err(Failure::InsufficientAvailable.into());
        }
        // Tokens sent to where they came from would be counted as gone without going.
        if destination_token.address() == vault_token.address() {
            return Err(Failure::InvalidTokenAccount.into());
        }

        vault.withdrawn = vault.withdrawn.wrapping_add(amount);
        let (from, to, mint, token_program) = (&vault_token, &destination_token, &mint, &token_program);
        Transfer { from, to, mint, token_program, amount, decimals: vault.decimals }.out_of_vault(&vault)?;
        events::Withdrawn { vault: *vault.address(), amount }.emit();
        Ok(())
    }
}
