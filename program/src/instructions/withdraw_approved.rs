//! Base. The employer takes tokens out of their vault above its limits: the approver signs too. Else whoever has the employer's key alone
//! would cancel schedules and take the money instead of changing a list.

use super::withdraw::Withdrawal;
use crate::prelude::*;

accounts! {
    #[selector(45)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] approver: AccountView,
        approval: Account<Approval>,
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
    let Accounts { employer, approver, approval, vault, vault_token, destination_token, mint, token_program } =
        Accounts::parse(accounts, program_id)?;
    let Data { amount } = Data::parse(data)?;

    approval.check_approver(vault.address(), &approver)?;
    Withdrawal { employer, vault, vault_token, destination_token, mint, token_program, amount }.invoke()
}
