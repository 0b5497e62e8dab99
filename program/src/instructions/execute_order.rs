//! Execution layer. The execution authority starts the withdrawal that a balance itself asks for: delivery to the recipient's own
//! wallet, or a standing order.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Balance, Config, Counter, Pool, load, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, balance, counter, pool] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    load::<Config>(config, program_id)?.check_authority(authority)?;
    let balance = load_mut::<Balance>(balance, program_id)?;
    let pool = load::<Pool>(pool, program_id)?;
    let counter = load_mut::<Counter>(counter, program_id)?;
    if pool.mint != balance.mint || counter.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if balance.pending_number != 0 {
        return Err(Failure::WithdrawalPending.into());
    }
    let (withdrawal, wallet) = if balance.is_order_due() {
        (balance.amount, balance.order_wallet)
    } else if balance.deliver != 0 {
        (balance.deliver, balance.recipient)
    } else {
        return Err(Failure::OrderNotDue.into());
    };

    let number = counter.take_number(pool, withdrawal)?;
    balance.deliver = balance.deliver.saturating_sub(withdrawal);
    balance.start_withdrawal(number, withdrawal, wallet)?;
    Event::new(Kind::WithdrawalRequested).u64(number).emit();
    Ok(())
}
