//! Base. Changes the second key and the grace time of a declared loss. Both keys sign, else one alone could become the two.

use crate::{prelude::*, state::check_guardian_terms};

accounts! {
    #[selector(20)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[signer] guardian: AccountView,
        #[writable] config: Account<Config>,
    }
}

data! {
    pub struct Data {
        new_guardian: Address,
        /// Seconds.
        loss_grace: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, guardian, mut config } = Accounts::parse(accounts, program_id)?;
    let Data { new_guardian, loss_grace } = Data::parse(data)?;

    config.check_governance(&governance)?;
    config.check_guardian(&guardian)?;
    check_guardian_terms(&config.governance, &new_guardian, loss_grace)?;
    // A grace time that already runs is not made shorter.
    config.check_not_declared()?;

    config.replace_guardian(new_guardian);
    config.loss_grace = loss_grace;
    events::GuardianUpdated { guardian: new_guardian }.emit();
    Ok(())
}
