//! Base. Promises a recurring payout: reserves amount × executions of the vault's available tokens. Above the vault's limit it opens no
//! window before the approver agrees.

use crate::{
    accounts, amount,
    calendar::Calendar,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{
        Batch, Config, Header, Listed, MAX_HELD, Missed, Proposal, Schedule, SchedulePhase, Status, Vault, load,
        load_mut, store,
    },
};
use pinocchio::{
    ProgramResult,
    cpi::Seed,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, config, employer_entry, vault, schedule, batch, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let id = reader.u64()?;
    let root = *reader.array::<32>()?;
    let per_execution = reader.u64()?;
    let recipients = reader.u32()?;
    let calendar = Calendar { unit: reader.u8()?, every: reader.u32()?, day: reader.u8()? };
    let first_execution = reader.i64()?;
    let executions = reader.u32()?;
    let batch_timeout = reader.u32()?;
    let missed = reader.u8()?;
    reader.end()?;

    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    let config = load::<Config>(config, program_id)?;
    let vault_address = *vault.address();
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    let is_asked = config.flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    if id < vault.next_id {
        return Err(Failure::IdNotNew.into());
    }
    if recipients == 0 || recipients > config.max_recipients {
        return Err(Failure::TooManyRecipients.into());
    }
    if per_execution == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    calendar.check(first_execution)?;
    if calendar.least_seconds() < u64::from(config.min_interval) {
        return Err(Failure::IntervalTooShort.into());
    }
    if batch_timeout < config.min_batch_timeout || batch_timeout > config.max_batch_timeout {
        return Err(Failure::InvalidBatchTimeout.into());
    }
    if executions == 0 || missed > Missed::Skip as u8 {
        return Err(Failure::InvalidSchedule.into());
    }

    let awaits = vault.needs_approval(per_execution);
    let (status, proposed_at) =
        if awaits { (Status::Awaiting, Clock::get()?.unix_timestamp) } else { (Status::Active, 0) };
    vault.reserve(amount::mul(per_execution, u64::from(executions))?)?;
    vault.next_id = id.checked_add(1).ok_or(Failure::Overflow)?;
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
            status: status as u8,
            phase: SchedulePhase::Idle as u8,
            missed,
            batch_bump,
            unit: calendar.unit,
            vault: vault_address,
            mint: vault.mint,
            root,
            id,
            amount: per_execution,
            every: calendar.every,
            day: calendar.day,
            held_count: 0,
            reserved_rule: [0; 2],
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
            window_held: 0,
            last_paid_amount: 0,
            last_bitmap_hash: [0; 32],
            last_settled_at: 0,
            paid_total: 0,
            window_moved_in: 0,
            held: [0; MAX_HELD],
            proposal: Proposal { proposed_at, ..Proposal::NONE },
        },
    )?;
    store(batch, Batch::fresh(batch_bump, schedule_address, vault.mint))?;
    Event::new(Kind::ScheduleCreated)
        .address(&schedule_address)
        .u64(per_execution)
        .u32(recipients)
        .u32(executions)
        .emit();
    if awaits {
        load::<Schedule>(schedule, program_id)?.log_proposal(&schedule_address)?;
    }
    Ok(())
}
