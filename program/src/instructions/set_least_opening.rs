//! Base. Governance and guardian say from which amount on a withdrawal has its wallet's token account opened by the token's sponsor. It counts
//! for what was promised before, so both keys sign: one alone could stop all withdrawals to fresh wallets, or have single base units take
//! the sponsor's lamports, which employers have prepaid.

use crate::prelude::*;

accounts! {
    #[selector(52)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[signer] guardian: AccountView,
        config: Account<Config>,
        #[writable] pool: Account<Pool>,
    }
}

data! {
    pub struct Data {
        /// Base units; 0: of any amount, the u64 maximum: of none.
        amount: u64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, guardian, config, mut pool } = Accounts::parse(accounts, program_id)?;
    let Data { amount } = Data::parse(data)?;

    config.check_governance(&governance)?;
    config.check_guardian(&guardian)?;
    pool.least_opening = amount;
    events::LeastOpeningSet { mint: pool.mint, amount }.emit();
    Ok(())
}
