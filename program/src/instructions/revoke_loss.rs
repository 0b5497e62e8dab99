//! Base. Takes a declared loss back while its grace time runs. Either key can, once in half a year: two are needed to end, one to keep,
//! but none keeps a layer for ever that is gone.

use crate::prelude::*;

/// Seconds in which the same key can't revoke again: longer than the longest grace time, so that what is declared again holds.
const PAUSE: i64 = 180 * 86_400;

accounts! {
    #[selector(25)]
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
    if config.loss_declared_at == 0 {
        return Err(Failure::LayerNotLost.into());
    }
    config.check_not_lost()?;
    let now = now()?;
    let is_governance = signer.address() == &config.governance;
    let from = if is_governance { config.governance_revokes_from } else { config.guardian_revokes_from };
    if now < from {
        return Err(Failure::RevokedRecently.into());
    }

    config.loss_declared_at = 0;
    let again = now.saturating_add(PAUSE);
    if is_governance {
        config.governance_revokes_from = again;
    } else {
        config.guardian_revokes_from = again;
    }
    events::LossRevoked {}.emit();
    Ok(())
}
