//! Base. Opens a window: its amount moves from the vault to the pool, and its batch goes to the execution layer.

use crate::{
    accounts, amount, bitmap,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    layer::{self, Delegate},
    state::{Batch, BatchPhase, Config, Pool, Schedule, SchedulePhase, Status, Vault, load, load_mut, store, tail_mut},
    token::Transfer,
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
    let [
        authority,
        config,
        schedule,
        batch,
        vault,
        vault_token,
        pool,
        pool_token,
        mint,
        token_program,
        buffer,
        record,
        metadata,
        delegation_program,
        owner_program,
        system_program,
    ] = accounts
    else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let window = reader.u64()?;
    reader.end()?;

    accounts::is(owner_program, program_id)?;
    accounts::system_program(system_program)?;
    layer::check_delegation_program(delegation_program)?;
    let config = load::<Config>(config, program_id)?;
    config.check_authority(authority)?;
    // From the declaration on, no money goes to a layer that may be lost.
    if config.loss_declared_at != 0 {
        return Err(Failure::LayerLost.into());
    }
    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault_view = *vault;
    let vault = load_mut::<Vault>(vault, program_id)?;
    let pool = load_mut::<Pool>(pool, program_id)?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &schedule.mint)?;
    accounts::is(mint, &pool.mint)?;
    // Before the batch is looked at, which is away meanwhile.
    if schedule.is_open() {
        return Err(Failure::WindowAlreadyOpen.into());
    }
    let idle = load_mut::<Batch>(batch, program_id)?;
    if idle.schedule != schedule_address {
        return Err(Failure::InvalidAccount.into());
    }
    // A batch that came back shorter than its list needs has no room to remember payments.
    if batch.data_len() < Batch::size(schedule.recipients) {
        return Err(Failure::TooManyRecipients.into());
    }
    // The number makes a stale resend of the last opening harmless.
    if schedule.window != window {
        return Err(Failure::WrongWindow.into());
    }
    if schedule.status != Status::Active as u8 || schedule.executions_left == 0 {
        return Err(Failure::ScheduleNotActive.into());
    }
    let now = Clock::get()?.unix_timestamp;
    if now < schedule.next_execution {
        return Err(Failure::NotDue.into());
    }
    if vault.reserved < schedule.amount {
        return Err(Failure::InsufficientReserve.into());
    }

    amount::sub(&mut vault.reserved, schedule.amount)?;
    amount::add(&mut vault.open, schedule.amount)?;
    amount::add(&mut pool.moved_in, schedule.amount)?;
    amount::add(&mut pool.open, schedule.amount)?;
    schedule.phase = SchedulePhase::Open as u8;
    schedule.opened_at = now;
    schedule.window_amount = schedule.amount;
    schedule.window_recipients = schedule.recipients;
    schedule.window_root_version = schedule.root_version;
    schedule.window_held = u32::from(schedule.held_count);
    schedule.window_moved_in = pool.moved_in;

    let vault_bump = [vault.header.bump];
    let vault_seeds = [
        Seed::from(Vault::SEED),
        Seed::from(vault.employer.as_ref()),
        Seed::from(vault.mint.as_ref()),
        Seed::from(&vault_bump),
    ];
    Transfer {
        from: vault_token,
        to: pool_token,
        mint,
        authority: &vault_view,
        token_program,
        amount: schedule.amount,
        decimals: vault.decimals,
    }
    .invoke(&[(&vault_seeds).into()])?;

    let bump = schedule.batch_bump;
    store(
        batch,
        Batch {
            phase: BatchPhase::Open as u8,
            recipients: schedule.recipients,
            root: schedule.root,
            window,
            opened_at: now,
            batch_timeout: schedule.batch_timeout,
            amount: schedule.amount,
            held_count: u32::from(schedule.held_count),
            ..Batch::fresh(bump, schedule_address, schedule.mint)
        },
    )?;
    // What came back last time is not trusted to be empty.
    // SAFETY: loaded above as a batch, and no reference to its tail is alive.
    let bits = unsafe { tail_mut::<Batch>(batch) };
    bits.fill(0);
    for index in schedule.held() {
        bitmap::set(bits, *index as usize);
    }
    Event::new(Kind::WindowOpened)
        .address(&schedule_address)
        .u64(window)
        .u64(schedule.amount)
        .u32(schedule.recipients)
        .u32(schedule.window_held)
        .emit();

    Delegate {
        validator: config.validator,
        seeds: &[Batch::SEED, schedule_address.as_ref()],
        bump,
        accounts: [*authority, *batch, *owner_program, *buffer, *record, *metadata, *system_program],
    }
    .invoke()
}
