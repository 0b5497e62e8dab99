//! Execution layer. Closes the read permission of an open window's batch, in the transaction that sends the batch back.

use crate::{
    permission::{Permissions, Subject},
    prelude::*,
};

accounts! {
    #[selector(40)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        #[writable] #[seeds(permissioned = batch)] permission: AccountView,
        permission_program: Known<PermissionProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
        magic_program: Known<MagicProgram>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let accounts = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    accounts.config.check_authority(&accounts.authority)?;
    accounts.batch.check_open()?;

    let bump = [accounts.batch.header.bump];
    let seeds = Batch::signer_seeds(accounts.batch.schedule.as_ref(), &bump);
    Permissions {
        authority: &accounts.authority,
        payer: &accounts.batch.view,
        payer_seeds: &seeds,
        permission_program: &accounts.permission_program,
        vault: &accounts.ephemeral_vault,
        magic_program: &accounts.magic_program,
    }
    .close(&Subject { account: &accounts.batch.view, permission: &accounts.permission, seeds: &seeds })
}
