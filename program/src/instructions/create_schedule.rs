//! Base. Promises a recurring payout: reserves amount × executions of the vault's available tokens.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    state::{Batch, BatchPhase, Config, Header, Missed, Schedule, SchedulePhase, Status, Vault, load, load_mut, store},
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

/// Seconds: a hundred years. Longer intervals and later first executions are slips of the pen.
const MAX_SECONDS: u64 = 100 * 366 * 86_400;

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, config, vault, schedule, batch, _system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let id = reader.u64()?;
    let root = *reader.array::<32>()?;
    let per_execution = reader.u64()?;
    let recipients = reader.u32()?;
    let interval = reader.u64()?;
    let first_execution = reader.i64()?;
    let executions = reader.u32()?;
    let batch_timeout = reader.u32()?;
    let missed = reader.u8()?;
    reader.end()?;

    accounts::signer(employer)?;
    accounts::signer(payer)?;
    let config = load::<Config>(config, program_id)?;
    let vault_address = *vault.address();
    let vault = load_mut::<Vault>(vault, program_id)?;
    if employer.address() != &vault.employer {
        return Err(Failure::NotEmployer.into());
    }
    if recipients == 0 || recipients > config.max_recipients {
        return Err(Failure::TooManyRecipients.into());
    }
    if per_execution == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    if interval < u64::from(config.min_interval) {
        return Err(Failure::IntervalTooShort.into());
    }
    if batch_timeout < config.min_batch_timeout || batch_timeout > config.max_batch_timeout {
        return Err(Failure::InvalidBatchTimeout.into());
    }
    if executions == 0
        || missed > Missed::Skip as u8
        || interval > MAX_SECONDS
        || first_execution <= 0
        || first_execution.unsigned_abs() > MAX_SECONDS.wrapping_mul(2)
    {
        return Err(Failure::InvalidSchedule.into());
    }

    let promised = amount::mul(per_execution, u64::from(executions))?;
    if promised > vault.available()? {
        return Err(Failure::InsufficientAvailable.into());
    }
    amount::add(&mut vault.reserved, promised)?;
    vault.schedules = vault.schedules.checked_add(1).ok_or(Failure::Overflow)?;

    let id_seed = id.to_le_bytes();
    let bump = accounts::derived(schedule, &[Schedule::SEED, vault_address.as_ref(), &id_seed], program_id)?;
    let bump_seed = [bump];
    let seeds =
        [Seed::from(Schedule::SEED), Seed::from(vault_address.as_ref()), Seed::from(&id_seed), Seed::from(&bump_seed)];
    accounts::Create { account: schedule, size: size_of::<Schedule>(), payer, program_id, seeds: &seeds }.invoke()?;

    let schedule_address = *schedule.address();
    let batch_bump = accounts::derived(batch, &[Batch::SEED, schedule_address.as_ref()], program_id)?;
    let batch_bump_seed = [batch_bump];
    let batch_seeds = [Seed::from(Batch::SEED), Seed::from(schedule_address.as_ref()), Seed::from(&batch_bump_seed)];
    accounts::Create { account: batch, size: Batch::size(recipients), payer, program_id, seeds: &batch_seeds }
        .invoke()?;

    store(
        schedule,
        Schedule {
            header: Header::new::<Schedule>(bump),
            status: Status::Active as u8,
            phase: SchedulePhase::Idle as u8,
            missed,
            batch_bump,
            reserved_head: 0,
            vault: vault_address,
            mint: vault.mint,
            root,
            id,
            amount: per_execution,
            interval,
            next_execution: first_execution,
            window: 0,
            recipients,
            executions_left: executions,
            batch_timeout,
            root_version: 0,
            opened_at: 0,
            window_amount: 0,
            window_recipients: 0,
            window_root_version: 0,
            last_paid_count: 0,
            reserved_count: 0,
            last_paid_amount: 0,
            last_bitmap_hash: [0; 32],
            last_settled_at: 0,
            paid_total: 0,
            reserved: [0; 72],
        },
    )?;
    store(
        batch,
        Batch {
            header: Header::new::<Batch>(batch_bump),
            phase: BatchPhase::Idle as u8,
            recipients,
            schedule: schedule_address,
            mint: vault.mint,
            root,
            window: 0,
            opened_at: 0,
            batch_timeout,
            paid_count: 0,
            amount: 0,
            paid_amount: 0,
            bitmap_hash: [0; 32],
            reserved: [0; 16],
        },
    )?;
    Ok(())
}
