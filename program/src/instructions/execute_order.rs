//! Execution layer. The execution authority starts the withdrawal that a balance itself asks for: one whose release time has come,
//! a standing order, or delivery to the recipient's own wallet.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    release::Range,
    state::{Balance, Config, Counter, Pool, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, balance, counter, pool] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let drawn = reader.i64()?;
    reader.end()?;

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
    let now = Clock::get()?.unix_timestamp;
    if balance.is_waiting() {
        if now < balance.due_at {
            return Err(Failure::WithdrawalNotReleased.into());
        }
        Range::AT_ONCE.check(drawn, now)?;
        balance.release_withdrawal(counter, pool)?;
        return Ok(());
    }
    let (withdrawal, wallet, range) = if balance.is_order_due() {
        let part = if balance.order_part == 0 { balance.amount } else { balance.order_part };
        (part, balance.order_wallet, Range::minutes(balance.order_delay_min, balance.order_delay_max))
    } else if balance.deliver != 0 {
        let delivery = core::mem::take(&mut balance.deliver);
        (delivery, balance.recipient, Range::AT_ONCE)
    } else {
        return Err(Failure::OrderNotDue.into());
    };

    let due_at = range.check(drawn, now)?;
    counter.check_kept(pool)?;
    balance.plan_withdrawal(withdrawal, wallet, due_at)?;
    if due_at == 0 {
        balance.release_withdrawal(counter, pool)?;
    } else {
        Event::new(Kind::WithdrawalPlanned).emit();
    }
    Ok(())
}
