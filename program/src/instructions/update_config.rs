//! Base. Governance changes limits, switches and the validator of pools to come, and names who is to take over from it.

use crate::{
    prelude::*,
    state::{Limits, check_flags, check_keys},
};

accounts! {
    #[selector(1)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[writable] config: Account<Config>,
    }
}

data! {
    pub struct Data {
        /// Zero: nobody.
        pending_governance: Address,
        validator: Address,
        limits: Limits,
        /// Bit 0: employers need the whitelist; bit 1: mints need it.
        flags: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, mut config } = Accounts::parse(accounts, program_id)?;
    let Data { pending_governance, validator, limits, flags } = Data::parse(data)?;

    limits.check()?;
    config.check_governance(&governance)?;
    check_flags(flags)?;
    check_keys(&[&validator])?;
    // One key must never be both, whatever is handed over.
    if pending_governance == config.guardian {
        return Err(Failure::InvalidConfig.into());
    }

    config.pending_governance = pending_governance;
    config.validator = validator;
    config.set_limits(&limits);
    config.flags = flags;
    events::ConfigUpdated {}.emit();
    Ok(())
}
