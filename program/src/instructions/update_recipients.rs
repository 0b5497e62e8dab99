//! Base. The employer puts a new list in place of the present one, from the next window on: also while a window is open, because the
//! open one's batch has the old list's root with it. Above the vault's limits the new list waits for the approver, and the present one stays.
//! Places are those of one list, so it says anew who is held back. The payer prepays the new list's fees.

use crate::{data::UnalignedU32, prelude::*};

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
    pub struct Data<'a> {
        root: Hash,
        /// Base units for each execution.
        amount: u64,
        recipients: u32,
        /// How many times it had changed who is held back when the employer looked: whoever has been held back since is not forgotten.
        holds: u32,
        /// Who is held back in the new list, by ascending indexes.
        held: &'a [UnalignedU32],
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, config, mut vault, mut schedule, .. } = Accounts::parse(accounts, program_id)?;
    let Data { root, amount, recipients, holds, held } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    let address = *schedule.address();
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }
    config.check_list(recipients, amount)?;
    schedule.check_holds(holds)?;

    let now = now()?;
    // Whoever is paid by another list is promised it anew.
    let sum = amount::mul(amount, u64::from(schedule.unopened()))?;
    if !schedule.is_awaiting() && !vault.spend_alone(amount, sum, now) {
        schedule.proposal = Proposal { root, amount, at: now, recipients, ..schedule.proposal };
        schedule.propose_held(held)?;
        schedule.log_proposal(&address)?;
        schedule.prepay(&payer)?;
        return Ok(());
    }
    schedule.release_reserve(&mut vault)?;
    schedule.put_list(root, amount, recipients)?;
    for index in held {
        schedule.hold(index.get())?;
    }
    let unopened = schedule.unopened();
    schedule.reserve(&mut vault, unopened)?;
    // What waited was to change another list.
    let at = if schedule.is_awaiting() { now } else { 0 };
    schedule.drop_proposal();
    schedule.proposal.at = at;
    schedule.prepay(&payer)?;
    events::RecipientsUpdated { schedule: address, root_version: schedule.root_version, amount, recipients }.emit();
    schedule.log_held(&address);
    Ok(())
}
