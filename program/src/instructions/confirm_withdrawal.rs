//! Execution layer. Clears a withdrawal that the base ledger has paid, or issues it to the base: again, if the last issue came to nothing.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    layer::{self, PayOut},
    numbers::is_paid,
    state::{Balance, Config, Pool, load, load_mut},
};
use pinocchio::{
    Address, ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// Seconds after which a withdrawal that the base hasn't shown is issued again. It keeps its number, so the base pays it once
/// even if both arrive.
const REISSUE_AFTER: i64 = 30;

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, balance, pool, page, magic_program, magic_context] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    layer::check_magic_program(magic_program)?;
    layer::check_magic_context(magic_context)?;
    load::<Config>(config, program_id)?.check_authority(authority)?;
    let balance = load_mut::<Balance>(balance, program_id)?;
    let pool_state = load::<Pool>(pool, program_id)?;
    if pool_state.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    let number = balance.pending_number;
    if balance.is_waiting() {
        return Err(Failure::WithdrawalNotReleased.into());
    }
    if number == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }

    if is_paid(page, &balance.mint, number, program_id)? {
        balance.pending_number = 0;
        balance.pending_amount = 0;
        balance.pending_wallet = Address::default();
        balance.due_at = 0;
        balance.note();
        Event::new(Kind::WithdrawalConfirmed).u64(number).emit();
        return Ok(());
    }
    if number >= pool_state.covered_to {
        return Err(Failure::NotCovered.into());
    }
    let now = Clock::get()?.unix_timestamp;
    if now < balance.due_at {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    balance.due_at = now.checked_add(REISSUE_AFTER).ok_or(Failure::Overflow)?;
    Event::new(Kind::WithdrawalIssued).u64(number).emit();
    let (wallet, amount) = (balance.pending_wallet, balance.pending_amount);
    PayOut {
        program_id,
        payer: authority,
        pool,
        config: config.address(),
        pool_state,
        magic_context,
        wallet: &wallet,
        number,
        amount,
    }
    .schedule()
}
