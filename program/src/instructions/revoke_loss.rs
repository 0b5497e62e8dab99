//! Base. Takes a declared loss back while its grace time runs. Either key can: two are needed to end, one to keep.

use crate::prelude::*;

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

    config.loss_declared_at = 0;
    events::LossRevoked {}.emit();
    Ok(())
}
