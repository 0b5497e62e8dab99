//! Base. Governance proposes another execution authority. It may take over in seven days, or once the guardian agrees.

use crate::{prelude::*, state::check_keys};

/// Seconds in which guardian or governance can refuse.
const DELAY: i64 = 7 * 86_400;

accounts! {
    #[selector(46)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[writable] config: Account<Config>,
    }
}

data! {
    pub struct Data {
        authority: Address,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, mut config } = Accounts::parse(accounts, program_id)?;
    let Data { authority } = Data::parse(data)?;

    config.check_governance(&governance)?;
    check_keys(&[&authority])?;

    let from = now()?.saturating_add(DELAY);
    config.pending_authority = authority;
    config.authority_from = from;
    events::AuthorityProposed { authority, from }.emit();
    Ok(())
}
