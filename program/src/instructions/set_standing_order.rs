//! Execution layer. A recipient says from which amount on, to which wallet, in which parts and how much later tokens go out by
//! themselves.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(36)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] balance: Account<Balance>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// Base units; 0: no standing order.
        threshold: u64,
        wallet: Address,
        /// Base units of each withdrawal; 0: everything.
        #[default(0)]
        part: u64,
        /// Minutes until the release, at least.
        #[default(0)]
        delay_min: u16,
        /// Minutes until the release, at most; 0: at once.
        #[default(0)]
        delay_max: u16,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut balance, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { threshold, wallet, part, delay_min, delay_max } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check(&balance.recipient)?;
    let ends = threshold == 0;
    if !ends {
        if part > threshold || delay_min > delay_max {
            return Err(Failure::InvalidData.into());
        }
        // An order to nowhere would lock what it takes out.
        balance.check_wallet(&wallet, program_id)?;
    }

    balance.order_threshold = threshold;
    balance.order_wallet = if ends { Address::default() } else { wallet };
    balance.order_part = if ends { 0 } else { part };
    balance.order_delay_min = if ends { 0 } else { delay_min };
    balance.order_delay_max = if ends { 0 } else { delay_max };
    balance.note();
    events::StandingOrderSet {}.emit();
    Ok(())
}
