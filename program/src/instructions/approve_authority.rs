//! Base. The guardian agrees to the proposed execution authority, which may take over at once.

use crate::prelude::*;

accounts! {
    #[selector(48)]
    pub struct Accounts {
        #[signer] guardian: AccountView,
        #[writable] config: Account<Config>,
    }
}

data! {
    pub struct Data {
        /// Who was proposed: another proposal made meanwhile is not agreed to.
        authority: Address,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { guardian, mut config } = Accounts::parse(accounts, program_id)?;
    let Data { authority } = Data::parse(data)?;

    config.check_guardian(&guardian)?;
    config.check_proposed()?;
    if authority != config.pending_authority {
        return Err(Failure::ProposalChanged.into());
    }

    config.authority_from = now()?;
    events::AuthorityApproved { authority }.emit();
    Ok(())
}
