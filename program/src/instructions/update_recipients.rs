//! Base. The employer puts a new list in place of the present one, from the next window on: also while a window is open, because the
//! open one's batch has the old list's root with it. Above the vault's limits the new list waits for the approver, and the present one stays.
//! The payer prepays the new list's fees.

use crate::prelude::*;

accounts! {
    #[selector(11)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        root: Hash,
        /// Base units for each execution.
        amount: u64,
        recipients: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, config, mut vault, mut schedule, .. } = Accounts::parse(accounts, program_id)?;
    let Data { root, amount, recipients } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    let address = *schedule.address();
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }
    config.check_list(recipients, amount)?;

    let now = now()?;
    // Whoever is paid by another list is promised it anew.
    let sum = amount::mul(amount, u64::from(schedule.unopened()))?;
    if !schedule.is_awaiting() && !vault.spend_alone(amount, sum, now) {
        schedule.proposal = Proposal { root, amount, at: now, recipients, ..schedule.proposal };
        schedule.log_proposal(&address)?;
        schedule.prepay(&payer)?;
        return Ok(());
    }
    schedule.release_reserve(&mut vault)?;
    schedule.put_list(root, amount, recipients)?;
    let unopened = schedule.unopened();
    schedule.reserve(&mut vault, unopened)?;
    // What waited was to change another list.
    let at = if schedule.is_awaiting() { now } else { 0 };
    schedule.drop_proposal();
    schedule.proposal.at = at;
    schedule.prepay(&payer)?;
    events::RecipientsUpdated { schedule: address, root_version: schedule.root_version, amount, recipients }.emit();
    Ok(())
}
