//! Base. Governance or guardian refuses a proposed replacement, at any time before it has taken over. It is named, so that nobody refuses
//! another than they saw.

use crate::prelude::*;

accounts! {
    #[selector(55)]
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
    let (is_guardian, is_governance) = (key == config.next_guardian, key == config.next_governance);
    if key == Address::default() || !(is_guardian || is_governance) {
        return Err(Failure::NothingProposed.into());
    }

    if is_guardian {
        config.end_next_guardian();
    }
    if is_governance {
        config.end_next_governance();
    }
    events::ReplacementRefused { key }.emit();
    Ok(())
}
