//! Base. Ends windows of one token after their batches came back, and records what the pool owes from then on. What was paid is decided by
//! the accounts; the execution authority signs for the root.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    liabilities::Liabilities,
    state::{Batch, BatchPhase, Config, Missed, Pool, Schedule, Status, Vault, load, load_mut},
    token::FromPool,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// The next execution. Unix seconds.
fn next_execution(schedule: &Schedule, now: i64) -> Result<i64, Failure> {
    let planned = schedule.next_execution;
    if schedule.missed == Missed::Skip as u8 {
        schedule.calendar().first_after(planned, now)
    } else {
        schedule.calendar().next(planned)
    }
}

/// Each window's: schedule, batch, vault and the vault's token account.
const ACCOUNTS_EACH: usize = 4;

/// What all windows have in common.
struct Settlement<'a> {
    program_id: &'a Address,
    pool: &'a mut Pool,
    /// The pool's own account.
    pool_view: &'a AccountView,
    pool_token: &'a AccountView,
    mint: &'a AccountView,
    token_program: &'a AccountView,
    /// Unix seconds.
    now: i64,
    /// `moved_in` of the tree that is recorded.
    moved_in: u64,
}

impl Settlement<'_> {
    /// Ends one window.
    #[inline(never)]
    fn end(&mut self, window: u64, accounts: &mut [AccountView; ACCOUNTS_EACH]) -> ProgramResult {
        let Settlement { program_id, pool, pool_view, pool_token, mint, token_program, now, moved_in } = self;
        let [schedule, batch, vault, vault_token] = accounts;
        let schedule_address = *schedule.address();
        let schedule = load_mut::<Schedule>(schedule, program_id)?;
        accounts::is(vault, &schedule.vault)?;
        let vault = load_mut::<Vault>(vault, program_id)?;
        accounts::is(vault_token, &vault.token_account)?;
        accounts::is(mint, &schedule.mint)?;
        if !schedule.is_open() {
            return Err(Failure::WindowNotOpen.into());
        }
        if schedule.window != window {
            return Err(Failure::WrongWindow.into());
        }
        // What it paid stands in the recorded balances from now on, so the tree must have known of it.
        if schedule.window_moved_in > *moved_in {
            return Err(Failure::LiabilitiesMismatch.into());
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
        let payable = schedule.window_recipients.saturating_sub(schedule.window_held);
        if paid > schedule.window_amount
            || paid_count > payable
            || paid < u64::from(paid_count)
            || (paid_count == 0 && paid != 0)
        {
            return Err(Failure::BatchOutOfBounds.into());
        }
        // Nor is its clock trusted to say that the time for paying is over.
        let deadline = schedule.opened_at.checked_add(i64::from(schedule.batch_timeout)).ok_or(Failure::Overflow)?;
        if paid_count < payable && *now < deadline {
            return Err(Failure::BatchNotComplete.into());
        }
        let unpaid = schedule.window_amount.checked_sub(paid).ok_or(Failure::Overflow)?;

        amount::sub(&mut vault.open, schedule.window_amount)?;
        amount::add(&mut vault.paid, paid)?;
        amount::sub(&mut pool.open, schedule.window_amount)?;
        amount::add(&mut pool.returned, unpaid)?;
        schedule.next_execution = next_execution(schedule, *now)?;
        schedule.close_window()?;
        if schedule.executions_left == 0 && schedule.status != Status::Cancelled as u8 {
            schedule.status = Status::Completed as u8;
        }
        schedule.last_paid_count = paid_count;
        schedule.last_paid_amount = paid;
        schedule.last_bitmap_hash = batch.bitmap_hash;
        schedule.last_settled_at = *now;
        amount::add(&mut schedule.paid_total, paid)?;
        batch.phase = BatchPhase::Idle as u8;

        if unpaid > 0 {
            FromPool {
                pool,
                authority: pool_view,
                from: pool_token,
                to: vault_token,
                mint,
                token_program,
                amount: unpaid,
            }
            .invoke()?;
        }
        Event::new(Kind::WindowSettled)
            .address(&schedule_address)
            .u64(window)
            .u32(paid_count)
            .u64(paid)
            .u64(unpaid)
            .hash(&batch.bitmap_hash)
            .emit();
        Ok(())
    }
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, pool, pool_token, mint, token_program, windows @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let liabilities = Liabilities::read(&mut reader)?;
    let numbers = reader.u64s()?;
    reader.end()?;
    let (windows, surplus) = windows.as_chunks_mut::<ACCOUNTS_EACH>();
    if numbers.is_empty() || numbers.len() != windows.len() || !surplus.is_empty() {
        return Err(Failure::InvalidData.into());
    }

    let config = load::<Config>(config, program_id)?;
    config.check_authority(authority)?;
    config.check_not_lost()?;
    let pool_view = *pool;
    let pool = load_mut::<Pool>(pool, program_id)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &pool.mint)?;
    let now = Clock::get()?.unix_timestamp;

    let moved_in = liabilities.moved_in;
    let mut settlement =
        Settlement { program_id, pool, pool_view: &pool_view, pool_token, mint, token_program, now, moved_in };
    for (number, accounts) in numbers.iter().zip(windows) {
        settlement.end(u64::from_le_bytes(*number), accounts)?;
    }
    liabilities.record(settlement.pool, now)?;
    Ok(())
}
