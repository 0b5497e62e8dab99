//! Base. Governance and guardian together end a suspension before its time. When each may suspend again stays as it is.

use crate::prelude::*;

accounts! {
    #[selector(51)]
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

    config.suspended_until = 0;
    events::SuspensionLifted {}.emit();
    Ok(())
}
