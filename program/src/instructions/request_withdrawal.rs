//! Execution layer. A recipient takes tokens out of their private balance to any wallet on the base.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    layer::{self, PayOut},
    state::{Balance, Config, Counter, Page, Pool, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// The next number. If the layer lost its state, its counter begins anew while the base has seen numbers: it goes on two pages
/// above the highest of those, out of reach of any that may still be under way.
fn take_number(counter: &mut Counter, pool: &Pool) -> Result<u64, Failure> {
    if counter.next <= pool.highest_withdrawal && counter.requested == 0 {
        let page = (pool.highest_withdrawal / Page::NUMBERS).checked_add(2).ok_or(Failure::Overflow)?;
        counter.next = amount::mul(page, Page::NUMBERS)?;
    }
    let number = counter.next;
    amount::add(&mut counter.next, 1)?;
    Ok(number)
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [recipient, config, balance, counter, pool, magic_program, magic_context] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let asked = reader.u64()?;
    let wallet = reader.address()?;
    reader.end()?;

    accounts::signer(recipient)?;
    layer::check_magic_program(magic_program)?;
    layer::check_magic_context(magic_context)?;
    load::<Config>(config, program_id)?;
    let balance = load_mut::<Balance>(balance, program_id)?;
    if recipient.address() != &balance.recipient {
        return Err(Failure::NotRecipient.into());
    }
    let pool_state = load::<Pool>(pool, program_id)?;
    let counter = load_mut::<Counter>(counter, program_id)?;
    if pool_state.mint != balance.mint || counter.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if balance.pending_number != 0 {
        return Err(Failure::WithdrawalPending.into());
    }
    let withdrawal = if asked == u64::MAX { balance.amount } else { asked };
    if withdrawal == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    if withdrawal > balance.amount {
        return Err(Failure::InsufficientBalance.into());
    }

    let number = take_number(counter, pool_state)?;
    amount::add(&mut counter.requested, withdrawal)?;
    amount::sub(&mut balance.amount, withdrawal)?;
    balance.pending_number = number;
    balance.pending_amount = withdrawal;
    balance.pending_wallet = wallet;
    balance.pending_since = Clock::get()?.unix_timestamp;

    PayOut {
        program_id,
        payer: recipient,
        pool,
        config: config.address(),
        pool_state,
        magic_context,
        wallet: &wallet,
        number,
        amount: withdrawal,
    }
    .schedule()
}
