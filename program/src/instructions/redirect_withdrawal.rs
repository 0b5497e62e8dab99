//! Execution layer. A recipient sends a withdrawal under way to another wallet, when the first can't be paid, or at another time. It
//! keeps its number, so it is paid once, to whichever wallet the base sees first.

use crate::{authority::Authority, prelude::*, release};

accounts! {
    #[selector(38)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] balance: Account<Balance>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        wallet: Address,
        /// Unix seconds of its release; what is past: at once.
        #[default(0)]
        due_at: i64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut balance, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { wallet, due_at } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check(&balance.recipient)?;
    if balance.pending_amount == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }
    balance.check_wallet(&wallet, program_id)?;
    let due_at = release::chosen(due_at)?;

    balance.pending_wallet = wallet;
    // One that was issued is not issued again the sooner for it.
    balance.due_at = if balance.is_waiting() { due_at } else { balance.due_at.max(due_at) };
    balance.note();
    events::WithdrawalRedirected { number: balance.pending_number }.emit();
    Ok(())
}
