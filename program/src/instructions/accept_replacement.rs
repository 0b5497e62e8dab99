//! Base. The key that was proposed takes the place of guardian or governance; proposing a wrong key therefore changes nothing.

use crate::prelude::*;

accounts! {
    #[selector(54)]
    pub struct Accounts {
        #[signer] next: AccountView,
        #[writable] config: Account<Config>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { next, mut config } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let key = *next.address();
    let is_guardian = key == config.next_guardian;
    if key == Address::default() || !(is_guardian || key == config.next_governance) {
        return Err(Failure::NotProposed.into());
    }
    let from = if is_guardian { config.guardian_from } else { config.governance_from };
    if now()? < from {
        return Err(Failure::ReplacementNotDue.into());
    }
    // One key must never be both, whatever became of the other meanwhile.
    if key == config.governance || key == config.guardian {
        return Err(Failure::InvalidConfig.into());
    }

    let replaced = if is_guardian { config.guardian } else { config.governance };
    if is_guardian {
        config.replace_guardian(key);
    } else {
        config.replace_governance(key);
    }
    events::ReplacementAccepted { replaced, key }.emit();
    Ok(())
}
