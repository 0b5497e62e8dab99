//! Execution layer. A recipient sends a withdrawal under way to another wallet, when the first can't be paid, or at another time. It
//! keeps its number, so it is paid once, to whichever wallet the base sees first.

use crate::{
    authority::Authority,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    release,
    state::{Balance, load_mut},
};
use pinocchio::{Address, ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [signer, balance, instructions_sysvar] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let wallet = reader.address()?;
    let due_at = reader.i64()?;
    reader.end()?;

    let balance_view = *balance;
    let authority = Authority { signer, instructions_sysvar, balance: balance_view.address(), program_id };
    let balance = load_mut::<Balance>(balance, program_id)?;
    authority.check(&balance.recipient)?;
    if balance.pending_amount == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }
    if wallet == Address::default() {
        return Err(Failure::InvalidData.into());
    }
    let due_at = release::chosen(due_at)?;

    balance.pending_wallet = wallet;
    // One that was issued is not issued again the sooner for it.
    balance.due_at = if balance.is_waiting() { due_at } else { balance.due_at.max(due_at) };
    balance.note();
    Event::new(Kind::WithdrawalRedirected).u64(balance.pending_number).emit();
    Ok(())
}
