//! Base. The approver refuses what waits, or the employer takes it back. A schedule that was never approved is cancelled; of another
//! only the change is gone.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Approval, Proposal, Schedule, Vault, load, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [signer, approval, vault, schedule] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    let schedule_address = *schedule.address();
    let schedule = load_mut::<Schedule>(schedule, program_id)?;
    accounts::is(vault, &schedule.vault)?;
    let vault = load_mut::<Vault>(vault, program_id)?;
    if signer.address() == &vault.employer {
        // Also when the policy is gone, and its account with it.
        vault.check_employer(signer)?;
    } else {
        load::<Approval>(approval, program_id)?.check_approver(&schedule.vault, signer)?;
    }
    if schedule.proposal.proposed_at == 0 {
        return Err(Failure::NothingProposed.into());
    }

    let released = if schedule.is_awaiting() { schedule.cancel(vault)? } else { 0 };
    schedule.proposal = Proposal::NONE;
    Event::new(Kind::ScheduleRejected).address(&schedule_address).u64(released).emit();
    Ok(())
}
