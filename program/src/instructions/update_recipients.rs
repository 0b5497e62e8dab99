//! Base. The employer puts a new list in place of the present one, from the next window on: also while a window is open, because the
//! open one's batch has the old list's root with it. Above the vault's limit the new list waits for the approver, and the present one stays.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Batch, Config, Proposal, Schedule, Vault, load, load_mut},
};
use pinocchio::{
    AccountView, ProgramResult, Resize,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock, rent::Rent},
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

    if vault.needs_approval(per_execution) && !schedule.is_awaiting() {
        let proposed_at = Clock::get()?.unix_timestamp;
        schedule.proposal = Proposal { root, amount: per_execution, proposed_at, recipients, ..schedule.proposal };
        schedule.log_proposal(&schedule_address)?;
        return Ok(());
    }
    amount::sub(&mut vault.reserved, schedule.promised()?)?;
    schedule.put_list(root, per_execution, recipients)?;
    vault.reserve(schedule.promised()?)?;
    // What waited was to change another list.
    let proposed_at = if schedule.is_awaiting() { Clock::get()?.unix_timestamp } else { 0 };
    schedule.proposal = Proposal { proposed_at, ..Proposal::NONE };
    Event::new(Kind::RecipientsUpdated)
        .address(&schedule_address)
        .u32(schedule.root_version)
        .u64(per_execution)
        .u32(recipients)
        .emit();
    Ok(())
}
