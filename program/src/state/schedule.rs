use super::{Code, Header, Pool, State, Vault};
use crate::{
    accounts, amount,
    calendar::{Calendar, CalendarUnit, DATES, NO_DATE, time_of},
    context::Account,
    data::UnalignedU32,
    errors::Failure,
    events::{Event, RecipientHeld, ScheduleProposed, WindowsReserved},
    hash::Hash,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::Seed,
    error::ProgramError,
    sysvars::{Sysvar, rent::Rent},
};
use pinocchio_system::instructions::Transfer;

/// What a schedule may do next.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum ScheduleStatus {
    Active = 0,
    Paused = 1,
    Cancelled = 2,
    Completed = 3,
    /// Created above the vault's limit, and not approved yet.
    Awaiting = 4,
}

/// Whether a window is open.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum SchedulePhase {
    Idle = 0,
    Open = 1,
}

/// What happens to windows that nobody opened in time.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum MissedWindows {
    /// Each is opened, in order, one at a time.
    #[allow(dead_code, reason = "only employers name it")]
    CatchUp = 0,
    /// The next execution is the first one still ahead.
    Skip = 1,
}

layout! {
    /// A recurring payout's terms and counters. Never delegated, so the execution layer can't change any of it.
    #[account(kind = 4, size = 720)]
    #[seeds(b"schedule", vault: Address, id: u64)]
    pub struct Schedule {
        pub header: Header,
        pub status: Code<ScheduleStatus>,
        pub phase: Code<SchedulePhase>,
        pub missed: Code<MissedWindows>,
        pub batch_bump: u8,
        /// Unit of the calendar rule.
        pub unit: Code<CalendarUnit>,
        pub vault: Address,
        pub mint: Address,
        pub root: Hash,
        pub id: u64,
        /// Base units per execution.
        pub amount: u64,
        /// Units from one execution to the next.
        pub every: u32,
        /// Day of the month, for the unit that asks for one.
        pub day: u8,
        pub held_count: u8,
        /// Windows of a schedule without an end that are to be reserved at a time; 0: it has an end, and all that are left are reserved.
        pub kept: u8,
        /// Windows of a schedule without an end that have not opened and are reserved.
        pub kept_reserved: u8,
        /// Unix seconds.
        pub next_execution: i64,
        /// Number of the open window, or of the next one.
        pub window: u64,
        pub recipients: u32,
        /// The open window's included.
        pub executions_left: u32,
        /// Seconds.
        pub batch_timeout: u32,
        pub root_version: u32,
        /// Unix seconds; 0 when no window is open.
        pub opened_at: i64,
        /// The open window's amount: the bound on whatever the execution layer returns. Base units.
        pub window_amount: u64,
        pub window_recipients: u32,
        pub window_root_version: u32,
        pub last_paid_count: u32,
        pub window_held: u32,
        pub last_paid_amount: u64,
        pub last_bitmap_hash: Hash,
        /// Unix seconds.
        pub last_settled_at: i64,
        pub paid_total: u64,
        /// The open window's place among all that were opened of its pool: whether a recorded liabilities tree knows of it. 0 when none is open.
        pub window_opening: u64,
        /// No window opens before, whatever the calendar says. Unix seconds; 0 until the first has opened.
        pub opens_from: i64,
        /// Seconds, on average, between two openings: the config's when the schedule was created.
        pub min_interval: u32,
        /// Recipients whose fee is prepaid and not used yet.
        pub prepaid_recipients: u32,
        /// Lamports for each window: the config's when the schedule was created, whatever the config asks for since.
        pub window_fee: u32,
        /// Lamports for each recipient who is paid for the first time; as above.
        pub recipient_fee: u32,
        /// Lamports of the employer in this account, beside its rent, for the fees of all windows and recipients that are promised, openings included.
        pub prepaid: u64,
        /// Lamports that the operator put into the batch for the open window, to be returned.
        pub lent: u64,
        /// Lamports for each token account that a window can have the sponsor open; as above.
        pub opening_fee: u32,
        pub date_count: u8,
        pub reserved_fees: [u8; 3],
        /// Base units: the pool's `least_opening` when the schedule was created.
        pub least_opening: u64,
        /// How many times it has changed who is held back: whoever gives another list names it, and looked at that.
        pub holds: u32,
        pub reserved_holds: [u8; 4],
        /// Indexes of recipients held back: the first `held_count`; behind them, those of the list that is proposed.
        pub held: [u32; MAX_HELD],
        /// Minutes since 1970, ascending, of a calendar of dates; the first `date_count` count, and the last of them wait with the proposal.
        pub dates: [u32; MAX_DATES],
        #[flatten(proposed)]
        pub proposal: Proposal,
    }
}

/// What waits for the approver. Of a schedule that awaits its first approval only the time counts: it has its terms already.
#[repr(C)]
pub struct Proposal {
    /// Of the new list, if `recipients` is not 0.
    pub root: Hash,
    /// Base units per execution.
    pub amount: u64,
    /// Unix seconds; 0: nothing waits.
    pub at: i64,
    pub recipients: u32,
    /// How many more.
    pub executions: u32,
    /// One more than the dates that were there before; 0: no dates wait.
    pub dates_before: u8,
    /// Recipients of the new list who are held back in it.
    pub held_count: u8,
    pub reserved: [u8; 2],
    /// The schedule's `holds` when the list was proposed.
    pub holds: u32,
}

impl Proposal {
    pub const NONE: Self = Proposal {
        root: [0; 32],
        amount: 0,
        at: 0,
        recipients: 0,
        executions: 0,
        dates_before: 0,
        held_count: 0,
        reserved: [0; 2],
        holds: 0,
    };

    /// How long the approver can agree: seconds. What was forgotten for longer is not what anybody means to pay.
    const LIFE: i64 = 30 * 86_400;

    /// Something waits, and not for too long.
    pub fn check_waits(&self, now: i64) -> Result<(), Failure> {
        if self.at == 0 {
            return Err(Failure::NothingProposed);
        }
        if now > self.at.saturating_add(Self::LIFE) { Err(Failure::ProposalExpired) } else { Ok(()) }
    }
}

impl Schedule {
    /// The vault is the schedule's, and the account that of its employer.
    pub fn check_employer(&self, vault: &Account<Vault>, employer: &AccountView) -> ProgramResult {
        accounts::is(&vault.view, &self.vault)?;
        vault.check_employer(employer)
    }

    /// The list in force is the one that whoever signed has looked at.
    pub fn check_root_version(&self, named: u32) -> Result<(), Failure> {
        if self.root_version == named { Ok(()) } else { Err(Failure::WrongRootVersion) }
    }

    /// Nobody has been held back or released since a list was made that says who is.
    pub fn check_holds(&self, named: u32) -> Result<(), Failure> {
        if self.holds == named { Ok(()) } else { Err(Failure::HoldsChanged) }
    }

    pub fn is_open(&self) -> bool {
        self.phase == SchedulePhase::Open
    }

    /// Cancelled or completed.
    pub fn has_ended(&self) -> bool {
        self.status == ScheduleStatus::Cancelled || self.status == ScheduleStatus::Completed
    }

    pub fn is_awaiting(&self) -> bool {
        self.status == ScheduleStatus::Awaiting
    }

    /// Puts a list in place of the present one. The reserve is the caller's.
    pub fn put_list(&mut self, root: Hash, amount: u64, recipients: u32) -> Result<(), Failure> {
        self.prepaid_recipients = self.recipients_to_prepay(recipients)?;
        self.root = root;
        self.amount = amount;
        self.recipients = recipients;
        self.root_version = self.root_version.checked_add(1).ok_or(Failure::Overflow)?;
        // Indexes are those of the list that is gone.
        self.held = [0; MAX_HELD];
        self.held_count = 0;
        Ok(())
    }

    /// Keeps who is to be held back in the list that is proposed, by ascending indexes, behind those who are in the present one.
    pub fn propose_held(&mut self, held: &[UnalignedU32]) -> Result<(), Failure> {
        let recipients = self.proposal.recipients;
        let next = self.held.get_mut(usize::from(self.held_count)..).unwrap_or_default();
        let places = next.get_mut(..held.len()).ok_or(Failure::TooManyHeld)?;
        let mut least = 0;
        for (place, index) in places.iter_mut().zip(held) {
            let index = index.get();
            if index < least || index >= recipients {
                return Err(Failure::InvalidRange);
            }
            (*place, least) = (index, index.saturating_add(1));
        }
        self.proposal.held_count = held.len() as u8;
        self.proposal.holds = self.holds;
        Ok(())
    }

    /// Indexes of recipients of the list that is proposed who are held back in it.
    pub fn proposed_held(&self) -> &[u32] {
        let from = usize::from(self.held_count);
        self.held.get(from..from.saturating_add(usize::from(self.proposal.held_count))).unwrap_or_default()
    }

    /// Puts the list that is proposed in place of the present one, with those held back in it. The reserve is the caller's.
    pub fn put_proposed_list(&mut self) -> Result<(), Failure> {
        let Proposal { root, amount, recipients, holds, .. } = self.proposal;
        self.check_holds(holds)?;
        let (from, count) = (usize::from(self.held_count), self.proposed_held().len());
        let places = self.held;
        self.put_list(root, amount, recipients)?;
        places.iter().skip(from).take(count).try_for_each(|index| self.hold(*index))
    }

    /// Recipients whose fee must be prepaid once a list of so many is in force. The open window's may not have been used yet.
    fn recipients_to_prepay(&self, recipients: u32) -> Result<u32, Failure> {
        let of_open = if self.is_open() { self.prepaid_recipients.min(self.window_recipients) } else { 0 };
        recipients.checked_add(of_open).ok_or(Failure::Overflow)
    }

    /// Lamports that must be prepaid: for all windows and recipients that are promised or wait for the approver.
    fn fees(&self) -> Result<u64, Failure> {
        let recipients = u64::from(self.prepaid_recipients).saturating_add(u64::from(self.proposal.recipients));
        let executions = self.executions_approved()?;
        let mut windows = amount::mul(u64::from(self.window_fee), u64::from(executions))?;
        // Whichever list they are paid by. The open window's openings were paid when it opened.
        let openings = self.openings_fee(self.amount.max(self.proposal.amount))?;
        let unopened = executions.saturating_sub(u32::from(self.is_open()));
        amount::add(&mut windows, amount::mul(openings, u64::from(unopened))?)?;
        windows.checked_add(amount::mul(u64::from(self.recipient_fee), recipients)?).ok_or(Failure::Overflow)
    }

    /// Takes the fees of the window that ends from what is prepaid: its own, and those of recipients who were paid for the first time, for
    /// each recipient of a list once. Returns lamports.
    pub fn use_prepaid(&mut self, new_recipients: u32) -> u64 {
        let charged = new_recipients.min(self.prepaid_recipients);
        self.prepaid_recipients = self.prepaid_recipients.wrapping_sub(charged);
        let of_recipients = u64::from(self.recipient_fee).saturating_mul(u64::from(charged));
        let used = u64::from(self.window_fee).saturating_add(of_recipients).min(self.prepaid);
        self.prepaid = self.prepaid.wrapping_sub(used);
        used
    }

    /// Lamports for all token accounts that so many base units can have the sponsor open: none where governance bounds no opening, or wants none.
    fn openings_fee(&self, amount: u64) -> Result<u64, Failure> {
        match self.least_opening {
            0 | Pool::NO_OPENING => Ok(0),
            least => amount::mul(u64::from(self.opening_fee), amount.div_ceil(least)),
        }
    }

    /// Takes from what is prepaid what the sponsor lacks as a window opens, no more than for the window's own token accounts. Returns lamports.
    pub fn use_prepaid_openings(&mut self, lacking: u64) -> Result<u64, Failure> {
        let used = self.openings_fee(self.window_amount)?.min(lacking).min(self.prepaid);
        self.prepaid = self.prepaid.wrapping_sub(used);
        Ok(used)
    }

    /// Lamports of the operator's that go back to it from a batch that came back: what was lent, as far as the batch holds it beside its
    /// own rent. What is missing was spent in the layer.
    pub fn repay(&mut self, batch: &AccountView) -> Result<u64, ProgramError> {
        let lent = core::mem::take(&mut self.lent);
        let kept = Rent::get()?.try_minimum_balance(batch.data_len())?;
        Ok(lent.min(batch.lamports().saturating_sub(kept)))
    }

    /// Gives what is reserved for this schedule back to what is available: base units.
    pub fn release_reserve(&mut self, vault: &mut Vault) -> Result<u64, Failure> {
        let released = self.promised()?;
        amount::sub(&mut vault.reserved, released)?;
        self.kept_reserved = 0;
        Ok(released)
    }

    /// Ends a schedule before its time; returns what the vault's reserve no longer holds for it, base units.
    pub fn cancel(&mut self, vault: &mut Vault) -> Result<u64, Failure> {
        let released = self.release_reserve(vault)?;
        self.executions_left = u32::from(self.is_open());
        self.status = ScheduleStatus::Cancelled.into();
        self.proposal = Proposal::NONE;
        Ok(released)
    }

    /// Logs what is to hold once the approver agrees.
    pub fn log_proposal(&self, schedule: &Address) -> Result<(), Failure> {
        let (amount, recipients) = match self.proposal.recipients {
            0 => (self.amount, self.recipients),
            recipients => (self.proposal.amount, recipients),
        };
        let executions = self.executions_approved()?;
        ScheduleProposed { schedule: *schedule, amount, recipients, executions }.emit();
        Ok(())
    }

    /// Logs who is held back in a list that has just come into force.
    pub fn log_held(&self, schedule: &Address) {
        for index in self.held() {
            RecipientHeld { schedule: *schedule, index: *index }.emit();
        }
    }

    /// When the next window may open: unix seconds.
    pub fn due_at(&self) -> i64 {
        self.next_execution.max(self.opens_from)
    }

    /// Puts the next opening off. Counted from when this one was due, so that an interval of no more than the least one doesn't drift
    /// by every opening's delay; but from half the least interval ago at the earliest, so that what was missed isn't opened at once.
    pub fn space_openings(&mut self, now: i64) {
        let least = i64::from(self.min_interval);
        let from = self.due_at().max(now.saturating_sub(least / 2));
        self.opens_from = from.saturating_add(least);
    }

    /// Whether the calendar leads from an execution (unix seconds) to the next one that stands here.
    pub fn is_ahead_of(&self, execution: i64) -> bool {
        let next = self.next_execution;
        execution == next
            || (execution > 0
                && self.unit.number != DATES
                && self.calendar().first_from(execution, next).is_ok_and(|reached| reached == next))
    }

    /// Executions left once the approver agrees.
    pub fn executions_approved(&self) -> Result<u32, Failure> {
        self.executions_left.checked_add(self.proposal.executions).ok_or(Failure::Overflow)
    }

    /// All executions that are left but the open window's.
    pub fn unopened(&self) -> u32 {
        self.executions_left.saturating_sub(u32::from(self.is_open()))
    }

    /// Goes on until it is cancelled, and has only so many windows reserved at a time as it keeps.
    pub fn has_no_end(&self) -> bool {
        self.kept != 0
    }

    /// What the vault reserves for this schedule, base units.
    fn promised(&self) -> Result<u64, Failure> {
        let windows = if self.has_no_end() { u32::from(self.kept_reserved) } else { self.unopened() };
        amount::mul(self.amount, u64::from(windows))
    }

    /// How many more windows a schedule without an end can have reserved: those that it keeps, of those whose fees are prepaid, as far as
    /// the vault's available tokens cover them.
    fn refillable(&self, vault: &Vault) -> Result<u8, Failure> {
        let wanted = u32::from(self.kept).min(self.unopened()).saturating_sub(u32::from(self.kept_reserved));
        let covered = vault.available()?.checked_div(self.amount).unwrap_or(0);
        // No more than are kept.
        Ok(u64::from(wanted).min(covered) as u8)
    }

    /// Takes the amount of the window that opens out of the reserve.
    pub fn take_window(&mut self, vault: &mut Vault) -> Result<(), Failure> {
        if self.has_no_end() {
            self.kept_reserved = self.kept_reserved.checked_sub(1).ok_or(Failure::InsufficientReserve)?;
        }
        vault.reserved = vault.reserved.checked_sub(self.amount).ok_or(Failure::InsufficientReserve)?;
        Ok(())
    }

    pub fn calendar(&self) -> Calendar<'_> {
        Calendar { unit: self.unit.number, every: self.every, day: self.day, dates: self.dates() }
    }

    /// Dates that are in force: those that wait for the approver are not.
    fn dates(&self) -> &[u32] {
        let known = match self.proposal.dates_before.checked_sub(1) {
            Some(before) => before,
            None => self.date_count,
        };
        self.dates.get(..usize::from(known)).unwrap_or(&[])
    }

    /// All dates, also those that wait.
    pub fn all_dates(&self) -> &[u32] {
        self.dates.get(..usize::from(self.date_count)).unwrap_or(&[])
    }

    /// Adds dates behind those that there are; what is over makes room. A calendar that follows a rule takes none.
    pub fn add_dates(&mut self, added: &[UnalignedU32]) -> Result<(), Failure> {
        if self.unit.number != DATES {
            return if added.is_empty() { Ok(()) } else { Err(Failure::InvalidCalendar) };
        }
        let mut last = self.all_dates().last().copied().unwrap_or(0);
        self.forget_dates();
        for date in added {
            let date = date.get();
            if date <= last || time_of(date) >= NO_DATE {
                return Err(Failure::InvalidCalendar);
            }
            let place = self.dates.get_mut(usize::from(self.date_count)).ok_or(Failure::TooManyDates)?;
            (*place, last) = (date, date);
            self.date_count = self.date_count.wrapping_add(1);
        }
        let all = Calendar { unit: DATES, every: 0, day: 0, dates: self.all_dates() };
        if all.least_seconds() < u64::from(self.min_interval) { Err(Failure::IntervalTooShort) } else { Ok(()) }
    }

    /// Takes off what lies before the next execution: a date is used once.
    pub fn forget_dates(&mut self) {
        let next = self.next_execution;
        let over = self.dates().iter().take_while(|date| time_of(**date) < next).count();
        if over == 0 {
            return;
        }
        let count = usize::from(self.date_count);
        self.dates.copy_within(over..count, 0);
        self.date_count = count.saturating_sub(over) as u8;
        if self.proposal.dates_before > 0 {
            self.proposal.dates_before = self.proposal.dates_before.saturating_sub(over as u8).max(1);
        }
    }

    /// Adds dates that hold once the approver agrees.
    pub fn propose_dates(&mut self, added: &[UnalignedU32]) -> Result<(), Failure> {
        self.forget_dates();
        if self.proposal.dates_before == 0 && !added.is_empty() {
            self.proposal.dates_before = self.date_count.saturating_add(1);
        }
        self.add_dates(added)
    }

    /// Takes what waits off again: all of it, the dates as well.
    pub fn drop_proposal(&mut self) {
        if let Some(before) = self.proposal.dates_before.checked_sub(1) {
            self.date_count = before;
        }
        self.proposal = Proposal::NONE;
    }

    /// Goes on with the next execution, or the first one that isn't over: before now nothing was promised, or what was missed is left out.
    pub fn go_on_from(&mut self, now: i64) -> Result<(), Failure> {
        self.next_execution = self.calendar().first_from(self.next_execution, now)?;
        self.forget_dates();
        Ok(())
    }

    /// A schedule whose dates had all been goes on with the first of new ones that isn't over.
    pub fn go_on_with_dates(&mut self, now: i64) -> Result<(), Failure> {
        if self.next_execution == NO_DATE { self.go_on_from(now) } else { Ok(()) }
    }

    /// Indexes held back.
    pub fn held(&self) -> &[u32] {
        self.held.get(..usize::from(self.held_count)).unwrap_or(&[])
    }

    /// Holds a recipient of the current list back. A list that is proposed says nothing of that, and can't be agreed to any more.
    pub fn hold(&mut self, index: u32) -> Result<(), Failure> {
        if index >= self.recipients {
            return Err(Failure::InvalidRange);
        }
        if self.held().contains(&index) {
            return Err(Failure::AlreadyHeld);
        }
        *self.held.get_mut(usize::from(self.held_count)).ok_or(Failure::TooManyHeld)? = index;
        self.held_count = self.held_count.wrapping_add(1);
        self.change_holds();
        Ok(())
    }

    /// Releases a recipient who is held back.
    pub fn release(&mut self, index: u32) -> Result<(), Failure> {
        let place = self.held().iter().position(|held| held == &index).ok_or(Failure::NotHeld)?;
        let last = self.held_count.checked_sub(1).ok_or(Failure::NotHeld)?;
        self.held.swap(place, usize::from(last));
        if let Some(freed) = self.held.get_mut(usize::from(last)) {
            *freed = 0;
        }
        self.held_count = last;
        self.change_holds();
        Ok(())
    }

    /// The places behind those held back are no longer those of a list that is proposed.
    fn change_holds(&mut self) {
        self.holds = self.holds.wrapping_add(1);
        self.proposal.held_count = 0;
    }

    /// Ends the open window; the counters of what was paid are the caller's.
    pub fn close_window(&mut self) -> Result<(), Failure> {
        self.phase = SchedulePhase::Idle.into();
        self.opened_at = 0;
        self.window_amount = 0;
        self.window_recipients = 0;
        self.window_held = 0;
        self.window_opening = 0;
        self.window = self.window.checked_add(1).ok_or(Failure::Overflow)?;
        self.executions_left = self.executions_left.checked_sub(1).ok_or(Failure::Overflow)?;
        Ok(())
    }
}

impl Account<Schedule> {
    /// Has the vault reserve what is promised now: `more` windows, or, of a schedule without an end, those that it keeps as far as they are
    /// covered.
    pub fn reserve(&mut self, vault: &mut Vault, more: u32) -> Result<(), Failure> {
        if self.has_no_end() {
            self.refill(vault)?;
            return Ok(());
        }
        vault.reserve(amount::mul(self.amount, u64::from(more))?)
    }

    /// Fills up what a schedule without an end keeps reserved, out of what is available; returns how many windows were added. Of another
    /// one nothing is missing.
    pub fn refill(&mut self, vault: &mut Vault) -> Result<u8, Failure> {
        if !self.has_no_end() {
            return Ok(0);
        }
        let added = self.refillable(vault)?;
        if added > 0 {
            vault.reserve(amount::mul(self.amount, u64::from(added))?)?;
            self.kept_reserved = self.kept_reserved.checked_add(added).ok_or(Failure::Overflow)?;
            WindowsReserved { schedule: *self.address(), windows: added }.emit();
        }
        Ok(added)
    }

    /// Has the payer add what the prepaid fees lack, to be called after every change of what is promised. Returns lamports.
    #[inline(never)]
    pub fn prepay(&mut self, payer: &AccountView) -> Result<u64, ProgramError> {
        let lamports = self.fees()?.saturating_sub(self.prepaid);
        if lamports > 0 {
            amount::add(&mut self.prepaid, lamports)?;
            Transfer { from: payer, to: &self.view, lamports }.invoke()?;
        }
        Ok(lamports)
    }
}

/// Recipients of a schedule that can be held back at a time.
pub const MAX_HELD: usize = 32;
/// Dates that a schedule can have ahead: a year of weeks.
pub const MAX_DATES: usize = 52;
