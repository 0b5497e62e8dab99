//! Base. Governance or guardian refuses the proposed execution authority, at any time before it has taken over.

use crate::prelude::*;

accounts! {
    #[selector(49)]
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
    config.check_proposed()?;

    events::AuthorityRefused { authority: config.end_proposal() }.emit();
    Ok(())
}
