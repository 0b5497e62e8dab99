//! Execution layer. A recipient sends a withdrawal under way to another wallet, when the first can't be paid, or at another time. It
//! keeps its number, so it is paid once, to whichever wallet the base sees first.

use crate::{authority::Authority, prelude::*, release, state::Withdrawing};

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
        /// 1: a part that waits for a round, or stands ready, goes on doing so; then `due_at` is 0.
        #[default(0)]
        in_round: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut personal, instructions_sysvar } = Accounts::parse(accounts, program_id)?;
    let Data { id, wallet, due_at, in_round } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: personal.address(), program_id }
        .check(&personal.recipient)?;
    personal.check_wallet(&wallet, program_id)?;
    let chosen = release::chosen(due_at)?;

    let withdrawal = personal.wallet_bound(id)?;
    withdrawal.wallet = wallet;
    match (in_round, due_at, withdrawal.in_round, withdrawal.number) {
        (1, 0, Withdrawing::IN_ROUND | Withdrawing::STANDS, 0) => {}
        // It takes nothing of the balance, so nothing could leave.
        (0, _, Withdrawing::STANDS, 0) => return Err(Failure::InvalidData.into()),
        (0, _, _, 0) => (withdrawal.due_at, withdrawal.in_round) = (chosen, 0),
        // One that was issued is not issued again the sooner for it.
        (0, _, _, _) => withdrawal.due_at = withdrawal.due_at.max(chosen),
        _ => return Err(Failure::InvalidData.into()),
    }
    events::WithdrawalRedirected { number: withdrawal.number }.emit();
    Ok(())
}
