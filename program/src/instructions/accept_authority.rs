//! Base. The key that was proposed takes the execution authority over; proposing a wrong key therefore changes nothing.

use crate::prelude::*;

accounts! {
    #[selector(47)]
    pub struct Accounts {
        #[signer] pending_authority: AccountView,
        #[writable] config: Account<Config>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { pending_authority, mut config } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_proposed()?;
    if pending_authority.address() != &config.pending_authority {
        return Err(Failure::NotProposed.into());
    }
    if now()? < config.authority_from {
        return Err(Failure::AuthorityNotDue.into());
    }

    let authority = config.end_proposal();
    config.execution_authority = authority;
    events::AuthorityAccepted { authority }.emit();
    Ok(())
}
