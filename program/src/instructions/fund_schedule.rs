//! Base. The employer promises more executions, and names more dates where the calendar is one of dates. A completed schedule becomes active again. Above the vault's limits they wait for the
//! approver. The payer prepays their fees.

use crate::{data::UnalignedU32, prelude::*, state::Listed};

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
    pub struct Data<'a> {
        /// How many more.
        executions: u32,
        /// Minutes since 1970, ascending, behind those that there are; of a calendar of dates alone.
        dates: &'a [UnalignedU32],
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, config, employer_entry, mut vault, mut schedule, mint_entry, payer, .. } =
        Accounts::parse(accounts, program_id)?;
    let Data { executions, dates } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    let is_asked = config.flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: &employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    let is_asked = config.asks_for_mint(vault.has_powers);
    Listed { entry: &mint_entry, subject: &vault.mint, is_asked, program_id }.check()?;
    if schedule.status == ScheduleStatus::Cancelled {
        return Err(Failure::ScheduleEnded.into());
    }
    if executions == 0 && dates.is_empty() {
        return Err(Failure::InvalidSchedule.into());
    }

    let (address, now) = (*schedule.address(), now()?);
    let sum = amount::mul(schedule.amount, u64::from(executions))?;
    if !schedule.is_awaiting() && !vault.spend_alone(schedule.amount, sum, now) {
        schedule.proposal.executions = schedule.proposal.executions.checked_add(executions).ok_or(Failure::Overflow)?;
        schedule.proposal.at = now;
        schedule.propose_dates(dates)?;
        schedule.log_proposal(&address)?;
        schedule.prepay(&payer)?;
        return Ok(());
    }
    schedule.executions_left = schedule.executions_left.checked_add(executions).ok_or(Failure::Overflow)?;
    schedule.reserve(&mut vault, executions)?;
    schedule.add_dates(dates)?;
    if schedule.status == ScheduleStatus::Completed && executions > 0 {
        // Between its end and now nothing was promised, so nothing was missed.
        schedule.go_on_from(now)?;
        schedule.status = ScheduleStatus::Active.into();
    }
    schedule.go_on_with_dates(now)?;
    if schedule.is_awaiting() {
        schedule.proposal.at = now;
    }
    schedule.prepay(&payer)?;
    events::ScheduleFunded { schedule: address, executions }.emit();
    Ok(())
}
