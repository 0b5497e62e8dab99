//! Execution layer. A recipient takes tokens out of their private balance to any wallet on the base, at once or at a time that they
//! drew. They are paid once a recorded liabilities tree knows of it.

use crate::{
    authority::Authority,
    prelude::*,
    release,
    state::{Plan, Source},
};

accounts! {
    #[selector(34)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        #[writable] page: Account<BalancePage>,
        #[writable] counter: Account<Counter>,
        pool: Account<Pool>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// Base units; the u64 maximum means all.
        amount: u64,
        wallet: Address,
        /// Unix seconds of its release; what is past: at once.
        #[default(0)]
        due_at: i64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, mut page, mut counter, pool, instructions_sysvar } =
        Accounts::parse(accounts, program_id)?;
    let Data { amount: asked, wallet, due_at } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    personal.check_token(&counter, &pool)?;
    accounts::is(&page.view, &personal.page)?;
    personal.check_wallet(&wallet, program_id)?;

    let slot = page.slot_of(personal.slot, &personal.owner)?;
    let amount = if asked == u64::MAX { personal.available(slot) } else { asked };
    let due_at = release::chosen(due_at)?;
    let mut source = Source { slot, counter: &mut counter, pool: &pool };
    personal.withdraw(&mut source, Plan { amount, wallet, due_at, in_round: false })?;
    Ok(())
}
