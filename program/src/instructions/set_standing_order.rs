//! Execution layer. A recipient says from which amount on, to which wallet, in which parts and how much later tokens go out by
//! themselves.

use crate::{authority::Authority, prelude::*};

accounts! {
    #[selector(36)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
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
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { threshold, wallet, part, delay_min, delay_max } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    let ends = threshold == 0;
    if !ends {
        if part > threshold || delay_min > delay_max {
            return Err(Failure::InvalidData.into());
        }
        // An order to nowhere would lock what it takes out.
        personal.check_wallet(&wallet, program_id)?;
    }

    personal.order_threshold = threshold;
    personal.order_wallet = if ends { Address::default() } else { wallet };
    personal.order_part = if ends { 0 } else { part };
    personal.order_delay_min = if ends { 0 } else { delay_min };
    personal.order_delay_max = if ends { 0 } else { delay_max };
    personal.note();
    events::StandingOrderSet {}.emit();
    Ok(())
}
