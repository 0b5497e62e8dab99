//! Execution layer. Closes an account in which nothing is left, and its read permission; their rent goes back to the token's counter.

use crate::{
    layer::EphemeralAccount,
    permission::{Permissions, Subject},
    prelude::*,
};

accounts! {
    #[selector(74)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] page: Account<BalancePage>,
        #[writable] personal: Account<Personal>,
        #[writable] counter: Account<Counter>,
        /// Written where there is one: the layer lets nobody name as written what isn't there.
        #[seeds(permissioned = personal)] permission: AccountView,
        permission_program: Known<PermissionProgram>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts {
        authority,
        config,
        mut page,
        mut personal,
        counter,
        permission,
        permission_program,
        magic_program,
        ephemeral_vault,
    } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_authority(&authority)?;
    accounts::is(&page.view, &personal.page)?;
    if counter.mint != personal.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if !personal.is_idle() {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    page.close_personal(personal.slot, &personal.owner)?;
    let bump = [counter.header.bump];
    let sponsor_seeds = Counter::signer_seeds(counter.mint.as_ref(), &bump);
    let personal_bump = [personal.header.bump];
    let seeds = Personal::signer_seeds(personal.mint.as_ref(), &personal.nonce, &personal_bump);
    Permissions {
        authority: &authority,
        payer: &counter.view,
        payer_seeds: &sponsor_seeds,
        permission_program: &permission_program,
        vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .close(&Subject { account: &personal.view, permission: &permission, seeds: &seeds, recipient: None })?;
    EphemeralAccount {
        sponsor: &counter.view,
        sponsor_seeds: &sponsor_seeds,
        ephemeral_vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .close(&personal.view)
}
