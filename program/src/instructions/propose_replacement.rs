//! Base. One of the two keys proposes another in the place of the other, which may be lost. It may take over in thirty days, in which the
//! present one can refuse.

use crate::{prelude::*, state::check_keys};

/// Seconds in which either key can refuse.
const DELAY: i64 = 30 * 86_400;

accounts! {
    #[selector(53)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] config: Account<Config>,
    }
}

data! {
    pub struct Data {
        key: Address,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut config } = Accounts::parse(accounts, program_id)?;
    let Data { key } = Data::parse(data)?;

    config.check_either_key(&signer)?;
    check_keys(&[&key])?;
    // One key must never be both.
    if key == config.governance || key == config.guardian {
        return Err(Failure::InvalidConfig.into());
    }

    let from = now()?.saturating_add(DELAY);
    let replaced = if signer.address() == &config.governance {
        config.next_guardian = key;
        config.guardian_from = from;
        config.guardian
    } else {
        config.next_governance = key;
        config.governance_from = from;
        config.governance
    };
    events::ReplacementProposed { replaced, key, from }.emit();
    Ok(())
}
