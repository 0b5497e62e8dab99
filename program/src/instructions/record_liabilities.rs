//! Base. The execution authority records the root of everything that a pool owes, so that withdrawals numbered since can be paid.

use crate::{liabilities::Liabilities, prelude::*};

accounts! {
    #[selector(23)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] pool: Account<Pool>,
    }
}

data! {
    pub struct Data<'a> {
        liabilities: Liabilities<'a>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut pool } = Accounts::parse(accounts, program_id)?;
    let Data { liabilities } = Data::parse(data)?;

    config.check_authority(&authority)?;
    config.check_not_declared()?;

    liabilities.record(&mut pool, now()?)?;
    Ok(())
}
