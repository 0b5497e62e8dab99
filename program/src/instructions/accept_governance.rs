//! Base. The key that governance named takes over; naming a wrong key therefore changes nothing.

use crate::prelude::*;

accounts! {
    #[selector(2)]
    pub struct Accounts {
        #[signer] pending_governance: AccountView,
        #[writable] config: Account<Config>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { pending_governance, mut config } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    if config.pending_governance == Address::default()
        || pending_governance.address() != &config.pending_governance
        || config.pending_governance == config.guardian
    {
        return Err(Failure::NotGovernance.into());
    }

    config.governance = config.pending_governance;
    config.pending_governance = Address::default();
    events::GovernanceAccepted { governance: config.governance }.emit();
    Ok(())
}
