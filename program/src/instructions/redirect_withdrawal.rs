//! Execution layer. A recipient sends a withdrawal under way to another wallet, when the first can't be paid, or at another time. It
//! keeps its number, so it is paid once, to whichever wallet the base sees first.

use crate::{authority::Authority, prelude::*, release};

accounts! {
    #[selector(38)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] personal: Account<Personal>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// The withdrawal's number among the balance's own.
        id: u32,
        wallet: Address,
        /// Unix seconds of its release; what is past: at once.
        #[default(0)]
        due_at: i64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { id, wallet, due_at } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    personal.check_wallet(&wallet, program_id)?;
    let due_at = release::chosen(due_at)?;

    let withdrawal = personal.withdrawal(id)?;
    withdrawal.wallet = wallet;
    // One that was issued is not issued again the sooner for it.
    withdrawal.due_at = if withdrawal.number == 0 { due_at } else { withdrawal.due_at.max(due_at) };
    events::WithdrawalRedirected { number: withdrawal.number }.emit();
    Ok(())
}
