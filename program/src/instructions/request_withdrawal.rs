//! Execution layer. A recipient takes tokens out of their private balance to any wallet on the base, at once or at a time that they
//! drew. They are paid once a recorded liabilities tree knows of it.

use crate::{
    authority::Authority,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    release,
    state::{Balance, Counter, Pool, load, load_mut},
};
use pinocchio::{Address, ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [signer, balance, counter, pool, instructions_sysvar] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let asked = reader.u64()?;
    let wallet = reader.address()?;
    let due_at = reader.i64()?;
    reader.end()?;

    let balance_view = *balance;
    let authority = Authority { signer, instructions_sysvar, balance: balance_view.address(), program_id };
    let balance = load_mut::<Balance>(balance, program_id)?;
    authority.check(&balance.recipient)?;
    let pool = load::<Pool>(pool, program_id)?;
    let counter = load_mut::<Counter>(counter, program_id)?;
    if pool.mint != balance.mint || counter.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if balance.pending_amount != 0 {
        return Err(Failure::WithdrawalPending.into());
    }
    if wallet == Address::default() {
        return Err(Failure::InvalidData.into());
    }
    let withdrawal = if asked == u64::MAX { balance.amount } else { asked };
    let due_at = release::chosen(due_at)?;
    counter.check_kept(pool)?;

    balance.plan_withdrawal(withdrawal, wallet, due_at)?;
    if due_at == 0 {
        balance.release_withdrawal(counter, pool)?;
    } else {
        Event::new(Kind::WithdrawalPlanned).emit();
    }
    Ok(())
}
