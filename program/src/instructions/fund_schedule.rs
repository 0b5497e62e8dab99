//! Base. The employer promises more executions. A completed schedule becomes active again. Above the vault's limits they wait for the
//! approver. The payer prepays their fees.

use crate::{prelude::*, state::Listed};

accounts! {
    #[selector(10)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        config: Account<Config>,
        #[seeds(subject = employer)] employer_entry: Derived<WhitelistEntry>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
        mint_entry: Derived<WhitelistEntry>,
        #[signer] #[writable] payer: AccountView,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        /// How many more.
        executions: u32,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, config, employer_entry, mut vault, mut schedule, mint_entry, payer, .. } =
        Accounts::parse(accounts, program_id)?;
    let Data { executions } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    let is_asked = config.flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: &employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    let is_asked = config.flags & Config::MINTS_LISTED != 0;
    Listed { entry: &mint_entry, subject: &vault.mint, is_asked, program_id }.check()?;
    if schedule.status == ScheduleStatus::Cancelled {
        return Err(Failure::ScheduleEnded.into());
    }
    if executions == 0 {
        return Err(Failure::InvalidSchedule.into());
    }

    let (address, now) = (*schedule.address(), now()?);
    let sum = amount::mul(schedule.amount, u64::from(executions))?;
    if !schedule.is_awaiting() && !vault.spend_alone(schedule.amount, sum, now) {
        schedule.proposal.executions = schedule.proposal.executions.checked_add(executions).ok_or(Failure::Overflow)?;
        schedule.proposal.at = now;
        schedule.log_proposal(&address)?;
        schedule.prepay(&payer)?;
        return Ok(());
    }
    vault.reserve(sum)?;
    schedule.executions_left = schedule.executions_left.checked_add(executions).ok_or(Failure::Overflow)?;
    if schedule.status == ScheduleStatus::Completed {
        // Between its end and now nothing was promised, so nothing was missed.
        schedule.next_execution = schedule.calendar().first_from(schedule.next_execution, now)?;
        schedule.status = ScheduleStatus::Active.into();
    }
    if schedule.is_awaiting() {
        schedule.proposal.at = now;
    }
    schedule.prepay(&payer)?;
    events::ScheduleFunded { schedule: address, executions }.emit();
    Ok(())
}
