//! Base. Governance or guardian suspends the execution authority at once, for seven days. It takes power away only; a key that has suspended
//! can't do so again until thirty days after, so that none stops payouts for ever.

use crate::prelude::*;

/// Seconds that a suspension lasts.
const LENGTH: i64 = 7 * 86_400;
/// Seconds after its end in which the same key can't suspend again.
const PAUSE: i64 = 30 * 86_400;

accounts! {
    #[selector(50)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] config: Account<Config>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut config } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_either_key(&signer)?;
    let now = now()?;
    let is_governance = signer.address() == &config.governance;
    let from = if is_governance { config.governance_suspends_from } else { config.guardian_suspends_from };
    if now < from {
        return Err(Failure::SuspendedRecently.into());
    }

    let until = now.saturating_add(LENGTH);
    let again = until.saturating_add(PAUSE);
    config.suspended_until = until;
    if is_governance {
        config.governance_suspends_from = again;
    } else {
        config.guardian_suspends_from = again;
    }
    events::AuthoritySuspended { until }.emit();
    Ok(())
}
