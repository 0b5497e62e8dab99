//! Execution layer. Closes a personal account that was wiped, and its read permission; their rent goes back to the token's counter.

use crate::{
    layer::EphemeralAccount,
    permission::{Permissions, Subject},
    prelude::*,
    state::check_unread,
};

accounts! {
    #[selector(74)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] wiped: Account<WipedPersonal>,
        #[writable] counter: Account<Counter>,
        /// Written where there is one: the layer lets nobody name as written what isn't there.
        #[seeds(permissioned = wiped)] permission: AccountView,
        permission_program: Known<PermissionProgram>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, wiped, counter, permission, permission_program, magic_program, ephemeral_vault } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_authority(&authority)?;
    if counter.mint != wiped.mint {
        return Err(Failure::InvalidAccount.into());
    }
    check_unread(wiped.wiped_at, now()?)?;
    let bump = [counter.header.bump];
    let sponsor_seeds = Counter::signer_seeds(counter.mint.as_ref(), &bump);
    let wiped_bump = [wiped.header.bump];
    let seeds = WipedPersonal::signer_seeds(wiped.mint.as_ref(), &wiped.nonce, &wiped_bump);
    Permissions {
        authority: &authority,
        payer: &counter.view,
        payer_seeds: &sponsor_seeds,
        permission_program: &permission_program,
        vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .close(&Subject { account: &wiped.view, permission: &permission, seeds: &seeds })?;
    EphemeralAccount {
        sponsor: &counter.view,
        sponsor_seeds: &sponsor_seeds,
        ephemeral_vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .close(&wiped.view)
}
