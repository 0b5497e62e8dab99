//! Execution layer. A recipient takes equal parts out of their private balance, each to a wallet of its own. They leave in a round, with
//! everybody's who asked for some, so that nobody can tell which are whose. Parts that stand ready are begun by the balance itself, once it has
//! as much.

use crate::{
    authority::Authority,
    prelude::*,
    release,
    state::{Plan, Source},
};

accounts! {
    #[selector(79)]
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
    pub struct Data<'a> {
        /// Base units of each part.
        size: u64,
        /// One for each part.
        wallets: &'a [Hash],
        /// 1: they stand ready, each until the balance has as much.
        #[default(0)]
        stands: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, mut page, mut counter, pool, instructions_sysvar } =
        Accounts::parse(accounts, program_id)?;
    let Data { size, wallets, stands } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    personal.check_token(&counter, &pool)?;
    accounts::is(&page.view, &personal.page)?;
    if wallets.is_empty() || stands > 1 {
        return Err(Failure::InvalidData.into());
    }

    let slot = page.slot_of(personal.slot, &personal.owner)?;
    let mut source = Source { slot, counter: &mut counter, pool: &pool };
    for wallet in wallets {
        let wallet = Address::new_from_array(*wallet);
        personal.check_wallet(&wallet, program_id)?;
        if stands == 1 {
            personal.stand(size, wallet)?;
        } else {
            let due_at = release::last_round(personal.parts_waiting())?;
            personal.withdraw(&mut source, Plan { amount: size, wallet, due_at, in_round: true })?;
        }
    }
    Ok(())
}
