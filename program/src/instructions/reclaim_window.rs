//! Base, once the execution layer is lost. Ends an open window by what the recorded tree knows of it: what was paid counts, the rest
//! returns to the vault, the schedule is cancelled. Anybody may send it: everything is decided by the accounts.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    hash,
    liabilities::Proof,
    state::{Config, Pool, Proposal, Schedule, Status, Vault, load, load_mut},
    token::FromPool,
};
use pinocchio::{ProgramResult, error::ProgramError};

/// paid u64 ‖ blind 16, as the leaf hashes them
const TERMS: usize = 24;

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [config, schedule, vault, vault_token, pool, pool_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let index = reader.u32()?;
    let terms = reader.array::<TERMS>()?;
    let hashes = reader.hashes()?;
    reader.end()?;
    let paid = Reader::new(terms).u64()?;

    load::<Config>(config, program_id)?.check_lost()?;
    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    let pool_view = *pool;
    let pool = load_mut::<Pool>(pool, program_id)?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &schedule.mint)?;
    accounts::is(mint, &pool.mint)?;
    if !schedule.is_open() {
        return Err(Failure::WindowNotOpen.into());
    }
    if schedule.window_moved_in > pool.recorded_in {
        // The recorded tree does not know of the window: nobody's recorded balance holds anything of it.
        if paid != 0 || !hashes.is_empty() {
            return Err(Failure::InvalidProof.into());
        }
    } else {
        let leaf = hash::liability_window(index, schedule_address.as_ref(), schedule.window, terms);
        Proof { index, hashes }.check(pool, leaf)?;
    }
    let unpaid = schedule.window_amount.checked_sub(paid).ok_or(Failure::BatchOutOfBounds)?;
    if unpaid > pool.held()? {
        return Err(Failure::PoolShortfall.into());
    }

    let released = schedule.promised()?;
    amount::sub(&mut vault.reserved, released)?;
    amount::sub(&mut vault.open, schedule.window_amount)?;
    amount::add(&mut vault.paid, paid)?;
    amount::sub(&mut pool.open, schedule.window_amount)?;
    amount::add(&mut pool.returned, unpaid)?;
    amount::add(&mut schedule.paid_total, paid)?;
    let window = schedule.window;
    schedule.close_window()?;
    schedule.executions_left = 0;
    schedule.status = Status::Cancelled as u8;
    schedule.proposal = Proposal::NONE;

    if unpaid > 0 {
        FromPool {
            pool,
            authority: &pool_view,
            from: pool_token,
            to: vault_token,
            mint,
            token_program,
            amount: unpaid,
        }
        .invoke()?;
    }
    Event::new(Kind::WindowReclaimed).address(&schedule_address).u64(window).u64(unpaid).emit();
    Ok(())
}
