//! Base. Governance and guardian together declare the execution layer lost: openings stop now, redemption begins after the grace time.

use crate::prelude::*;

accounts! {
    #[selector(24)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[signer] guardian: AccountView,
        #[writable] config: Account<Config>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, guardian, mut config } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_governance(&governance)?;
    config.check_guardian(&guardian)?;
    // Declared again, the grace time would begin anew.
    config.check_not_declared()?;

    config.loss_declared_at = now()?;
    events::LossDeclared { final_at: config.loss_final_at() }.emit();
    Ok(())
}
