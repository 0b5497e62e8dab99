//! Base. Promises a recurring payout: reserves amount × executions of the vault's available tokens, or, without an end, those of the windows that
//! it keeps. Above the vault's limits it opens no
//! window before the approver agrees. The payer prepays the config's fees.

use crate::{calendar::CalendarUnit, data::UnalignedU32, prelude::*, state::Listed};

accounts! {
    #[selector(9)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[seeds(subject = employer)] employer_entry: Derived<WhitelistEntry>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Derived<Schedule>,
        #[writable] batch: Derived<Batch>,
        system_program: Known<SystemProgram>,
        mint_entry: Derived<WhitelistEntry>,
        pool: Account<Pool>,
    }
}

data! {
    pub struct Data<'a> {
        id: u64,
        root: Hash,
        /// Base units for each execution.
        amount: u64,
        recipients: u32,
        unit: Code<CalendarUnit>,
        /// Units between executions.
        every: u32,
        /// 1 to 31 for months on a day, else 0.
        day: u8,
        /// Unix seconds.
        first_execution: i64,
        executions: u32,
        /// Seconds.
        batch_timeout: u32,
        missed: Code<MissedWindows>,
        /// Windows that a schedule without an end keeps reserved; its executions are those whose fees are prepaid. 0: it has an end.
        #[default(0)]
        kept: u8,
        /// Lamports of fees that the employer prepays at most; unless it is said, more than there are.
        #[default(9007199254740991)]
        max_fees: u64,
        /// Minutes since 1970, ascending, the first one that of the first execution; of a calendar of dates alone.
        dates: &'a [UnalignedU32],
    }
}

/// Seconds by which a first execution may lie in the past: a day that is named has begun, and a transaction takes a while to be signed by all.
const LATEST: i64 = 86_400;

impl Data<'_> {
    fn check(&self, config: &Config, vault: &Vault, now: i64) -> Result<(), Failure> {
        if self.id < vault.next_id {
            return Err(Failure::IdNotNew);
        }
        config.check_list(self.recipients, self.amount)?;
        if self.first_execution < now.saturating_sub(LATEST) {
            return Err(Failure::FirstExecutionPast);
        }
        if self.batch_timeout < config.min_batch_timeout || self.batch_timeout > config.max_batch_timeout {
            return Err(Failure::InvalidBatchTimeout);
        }
        if self.executions == 0 || self.missed.number > MissedWindows::Skip as u8 {
            return Err(Failure::InvalidSchedule);
        }
        Ok(())
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, config, employer_entry, mut vault, schedule, batch, mint_entry, pool, .. } =
        Accounts::parse(accounts, program_id)?;
    let terms = Data::parse(data)?;

    vault.check_employer(&employer)?;
    if pool.mint != vault.mint {
        return Err(Failure::InvalidAccount.into());
    }
    let is_asked = config.flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: &employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    let is_asked = config.asks_for_mint(vault.has_powers);
    Listed { entry: &mint_entry, subject: &vault.mint, is_asked, program_id }.check()?;
    let now = now()?;
    terms.check(&config, &vault, now)?;

    let sum = amount::mul(terms.amount, u64::from(terms.executions))?;
    vault.next_id = terms.id.checked_add(1).ok_or(Failure::Overflow)?;
    vault.schedules = vault.schedules.checked_add(1).ok_or(Failure::Overflow)?;

    let (payer, id) = (&payer, terms.id.to_le_bytes());
    let seeds = Schedule::seeds(vault.address().as_ref(), &id);
    let mut schedule = schedule.create(&Creation { payer, program_id, seeds: &seeds, size: size_of::<Schedule>() })?;
    let address = *schedule.address();
    let (seeds, size) = (Batch::seeds(address.as_ref()), size_of::<Batch>());
    let mut batch = batch.create(&Creation { payer, program_id, seeds: &seeds, size })?;
    batch.schedule = address;
    batch.mint = vault.mint;

    schedule.batch_bump = batch.header.bump;
    schedule.vault = *vault.address();
    schedule.mint = vault.mint;
    schedule.min_interval = config.min_interval;
    schedule.window_fee = config.window_fee;
    schedule.recipient_fee = config.recipient_fee;
    schedule.opening_fee = config.opening_fee;
    schedule.least_opening = pool.least_opening;
    begin(&mut schedule, &terms)?;
    let Data { amount, recipients, executions, .. } = terms;
    events::ScheduleCreated { schedule: address, amount, recipients, executions }.emit();
    schedule.reserve(&mut vault, executions)?;
    // A promise begins with all that it keeps.
    if u32::from(schedule.kept_reserved) < u32::from(terms.kept).min(executions) {
        return Err(Failure::InsufficientAvailable.into());
    }
    if schedule.prepay(payer)? > terms.max_fees {
        return Err(Failure::FeesTooHigh.into());
    }
    if !vault.spend_alone(amount, sum, now) {
        schedule.status = ScheduleStatus::Awaiting.into();
        schedule.proposal.at = now;
        schedule.log_proposal(&address)?;
    }
    Ok(())
}

/// Writes the terms into a new schedule.
fn begin(schedule: &mut Schedule, terms: &Data) -> Result<(), Failure> {
    schedule.missed = terms.missed;
    schedule.kept = terms.kept;
    schedule.unit = terms.unit;
    schedule.root = terms.root;
    schedule.id = terms.id;
    schedule.amount = terms.amount;
    schedule.every = terms.every;
    schedule.day = terms.day;
    schedule.next_execution = terms.first_execution;
    schedule.recipients = terms.recipients;
    schedule.prepaid_recipients = terms.recipients;
    schedule.executions_left = terms.executions;
    schedule.batch_timeout = terms.batch_timeout;
    schedule.add_dates(terms.dates)?;
    let calendar = schedule.calendar();
    calendar.check(terms.first_execution)?;
    if calendar.least_seconds() < u64::from(schedule.min_interval) { Err(Failure::IntervalTooShort) } else { Ok(()) }
}
