//! Execution layer. Moves lamports from an open window's batch to the token's counter, which pays for what recipients ask for.

use crate::{layer, prelude::*};

accounts! {
    #[selector(72)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        #[writable] counter: Account<Counter>,
    }
}

data! {
    pub struct Data {
        lamports: u64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, mut counter } = Accounts::parse(accounts, program_id)?;
    let Data { lamports } = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    if batch.mint != counter.mint || batch.view.lamports() < layer::least_to_pay(&batch.view, lamports)? {
        return Err(Failure::InvalidAccount.into());
    }
    accounts::move_lamports(&mut batch.view, &mut counter.view, lamports)
}
