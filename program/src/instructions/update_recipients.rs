//! Base. The employer puts a new list in place of the present one, from the next window on: also while a window is open, because the
//! open one's batch has the old list's root with it.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Batch, Config, MAX_HELD, Schedule, Vault, load, load_mut},
};
use pinocchio::{
    AccountView, ProgramResult, Resize,
    error::ProgramError,
    sysvars::{Sysvar, rent::Rent},
};
use pinocchio_system::instructions::Transfer as TransferLamports;

/// Makes an idle batch large enough; the payer adds the rent.
fn enlarge(batch: &mut AccountView, payer: &AccountView, size: usize) -> ProgramResult {
    let missing = Rent::get()?.try_minimum_balance(size)?.saturating_sub(batch.lamports());
    if missing > 0 {
        TransferLamports { from: payer, to: batch, lamports: missing }.invoke()?;
    }
    batch.resize(size)
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, config, vault, schedule, batch, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let root = *reader.array::<32>()?;
    let per_execution = reader.u64()?;
    let recipients = reader.u32()?;
    reader.end()?;

    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    let max_recipients = load::<Config>(config, program_id)?.max_recipients;
    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    accounts::at(batch, &[Batch::SEED, schedule_address.as_ref(), &[schedule.batch_bump]], program_id)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }
    if recipients == 0 || recipients > max_recipients {
        return Err(Failure::TooManyRecipients.into());
    }
    if per_execution == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    let size = Batch::size(recipients);
    if size > batch.data_len() {
        // An open window's batch is in the execution layer's hands.
        if schedule.is_open() {
            return Err(Failure::WindowAlreadyOpen.into());
        }
        load_mut::<Batch>(batch, program_id)?;
        enlarge(batch, payer, size)?;
    }

    amount::sub(&mut vault.reserved, schedule.promised()?)?;
    schedule.amount = per_execution;
    vault.reserve(schedule.promised()?)?;
    schedule.root = root;
    schedule.recipients = recipients;
    schedule.root_version = schedule.root_version.checked_add(1).ok_or(Failure::Overflow)?;
    // Indexes are those of the list that is gone.
    schedule.held = [0; MAX_HELD];
    schedule.held_count = 0;
    Event::new(Kind::RecipientsUpdated)
        .address(&schedule_address)
        .u32(schedule.root_version)
        .u64(per_execution)
        .u32(recipients)
        .emit();
    Ok(())
}
