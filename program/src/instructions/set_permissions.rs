//! Execution layer. Sets who may read pages, personal accounts and an open window's batch, where the layer has read permissions.

use crate::{
    permission::{Permissions, Subject},
    prelude::*,
};

accounts! {
    #[selector(39)]
    #[remaining(pairs)]
    pub struct Accounts<'a> {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        permission_program: Known<PermissionProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
        magic_program: Known<MagicProgram>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let accounts = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let Accounts { batch, .. } = &accounts;
    accounts.config.check_authority(&accounts.authority)?;
    batch.check_open()?;
    let (pairs, rest) = accounts.pairs.as_chunks::<2>();
    if !rest.is_empty() || pairs.is_empty() {
        return Err(Failure::InvalidData.into());
    }

    let bump = [batch.header.bump];
    let batch_seeds = Batch::signer_seeds(batch.schedule.as_ref(), &bump);
    let permissions = Permissions {
        authority: &accounts.authority,
        payer: &batch.view,
        payer_seeds: &batch_seeds,
        permission_program: &accounts.permission_program,
        vault: &accounts.ephemeral_vault,
        magic_program: &accounts.magic_program,
    };
    for [account, permission] in pairs {
        if account.address() == batch.address() {
            permissions.set(&Subject { account, permission, seeds: &batch_seeds })?;
        } else if let Ok(page) = Account::<BalancePage>::of(account, program_id) {
            let bump = [page.header.bump];
            let seeds = BalancePage::signer_seeds(page.mint.as_ref(), &page.nonce, &bump);
            permissions.set(&Subject { account, permission, seeds: &seeds })?;
        } else if let Ok(wiped) = Account::<WipedPersonal>::of(account, program_id) {
            let bump = [wiped.header.bump];
            let seeds = WipedPersonal::signer_seeds(wiped.mint.as_ref(), &wiped.nonce, &bump);
            permissions.set(&Subject { account, permission, seeds: &seeds })?;
        } else {
            let personal = Account::<Personal>::of(account, program_id)?;
            let bump = [personal.header.bump];
            let seeds = Personal::signer_seeds(personal.mint.as_ref(), &personal.nonce, &bump);
            permissions.set(&Subject { account, permission, seeds: &seeds })?;
        }
    }
    Ok(())
}
