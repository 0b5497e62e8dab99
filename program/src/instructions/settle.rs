//! Base. Ends a window after its batch came back. Anybody may send it: everything is decided by the accounts.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    state::{Batch, BatchPhase, Missed, Pool, Schedule, SchedulePhase, Status, Vault, load_mut},
    token::Transfer,
};
use pinocchio::{
    ProgramResult,
    cpi::Seed,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// The next execution after one planned for `planned`. Seconds.
fn next_execution(schedule: &Schedule, now: i64) -> Result<i64, Failure> {
    let planned = schedule.next_execution;
    let mut steps = 1u64;
    if schedule.missed == Missed::Skip as u8 && now > planned {
        let late = now.abs_diff(planned);
        steps =
            late.checked_div(schedule.interval).and_then(|missed| missed.checked_add(1)).ok_or(Failure::Overflow)?;
    }
    let ahead = amount::mul(schedule.interval, steps)?;
    planned.checked_add_unsigned(ahead).ok_or(Failure::Overflow)
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [schedule, batch, vault, vault_token, pool, pool_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let window = reader.u64()?;
    reader.end()?;

    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    let pool_view = *pool;
    let pool = load_mut::<Pool>(pool, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &schedule.mint)?;
    accounts::is(mint, &pool.mint)?;
    if schedule.phase != SchedulePhase::Open as u8 {
        return Err(Failure::WindowNotOpen.into());
    }
    if schedule.window != window {
        return Err(Failure::WrongWindow.into());
    }
    let batch = load_mut::<Batch>(batch, program_id)?;
    if batch.schedule != schedule_address {
        return Err(Failure::InvalidAccount.into());
    }
    if batch.phase != BatchPhase::Closed as u8 || batch.window != window {
        return Err(Failure::BatchNotClosed.into());
    }
    // The layer's word, bounded by what the base itself wrote when it opened the window.
    let (paid, paid_count) = (batch.paid_amount, batch.paid_count);
    let all_paid = paid_count == schedule.window_recipients;
    if paid > schedule.window_amount
        || paid_count > schedule.window_recipients
        || (paid_count == 0) != (paid == 0)
        || all_paid != (paid == schedule.window_amount)
    {
        return Err(Failure::BatchOutOfBounds.into());
    }
    let unpaid = schedule.window_amount.checked_sub(paid).ok_or(Failure::Overflow)?;

    let now = Clock::get()?.unix_timestamp;
    amount::sub(&mut vault.open, schedule.window_amount)?;
    amount::add(&mut vault.paid, paid)?;
    amount::sub(&mut pool.open, schedule.window_amount)?;
    amount::add(&mut pool.returned, unpaid)?;
    schedule.next_execution = next_execution(schedule, now)?;
    schedule.window = schedule.window.checked_add(1).ok_or(Failure::Overflow)?;
    schedule.executions_left = schedule.executions_left.checked_sub(1).ok_or(Failure::Overflow)?;
    if schedule.executions_left == 0 {
        schedule.status = Status::Completed as u8;
    }
    schedule.phase = SchedulePhase::Idle as u8;
    schedule.opened_at = 0;
    schedule.window_amount = 0;
    schedule.window_recipients = 0;
    schedule.last_paid_count = paid_count;
    schedule.last_paid_amount = paid;
    schedule.last_bitmap_hash = batch.bitmap_hash;
    schedule.last_settled_at = now;
    amount::add(&mut schedule.paid_total, paid)?;
    batch.phase = BatchPhase::Idle as u8;

    if unpaid == 0 {
        return Ok(());
    }
    let bump = [pool.header.bump];
    let seeds = [Seed::from(Pool::SEED), Seed::from(pool.mint.as_ref()), Seed::from(&bump)];
    Transfer {
        from: pool_token,
        to: vault_token,
        mint,
        authority: &pool_view,
        token_program,
        amount: unpaid,
        decimals: pool.decimals,
    }
    .invoke(&[(&seeds).into()])
}
