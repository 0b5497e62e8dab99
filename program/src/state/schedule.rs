use super::{Header, State, Vault};
use crate::{
    amount,
    calendar::Calendar,
    errors::Failure,
    events::{Event, Kind},
};
use pinocchio::Address;

/// What a schedule may do next.
#[repr(u8)]
pub enum Status {
    Active = 0,
    Paused = 1,
    Cancelled = 2,
    Completed = 3,
    /// Created above the vault's limit, and not approved yet.
    Awaiting = 4,
}

/// Whether a window is open.
#[repr(u8)]
pub enum Phase {
    Idle = 0,
    Open = 1,
}

/// What happens to windows that nobody opened in time.
#[repr(u8)]
pub enum Missed {
    // 0 catch up: each is opened, in order, one at a time
    /// The next execution is the first one still ahead.
    Skip = 1,
}

/// A recurring payout's terms and counters. Never delegated, so the execution layer can't change any of it.
/// PDA `["schedule", vault, id]`.
#[repr(C)]
pub struct Schedule {
    pub header: Header,
    pub status: u8,
    pub phase: u8,
    pub missed: u8,
    pub batch_bump: u8,
    /// Unit of the calendar rule.
    pub unit: u8,
    pub vault: Address,
    pub mint: Address,
    pub root: [u8; 32],
    pub id: u64,
    /// Base units per execution.
    pub amount: u64,
    /// Units from one execution to the next.
    pub every: u32,
    /// Day of the month, for the unit that asks for one.
    pub day: u8,
    pub held_count: u8,
    pub reserved_rule: [u8; 2],
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
    pub last_bitmap_hash: [u8; 32],
    /// Unix seconds.
    pub last_settled_at: i64,
    pub paid_total: u64,
    /// What had moved into the pool with the open window, base units: whether a recorded liabilities tree knows of it. 0 when none is open.
    pub window_moved_in: u64,
    /// Indexes of recipients held back; the first `held_count` count.
    pub held: [u32; MAX_HELD],
    pub proposal: Proposal,
}

/// What waits for the approver. Of a schedule that awaits its first approval only the time counts: it has its terms already.
#[repr(C)]
pub struct Proposal {
    /// Of the new list, if `recipients` is not 0.
    pub root: [u8; 32],
    /// Base units per execution.
    pub amount: u64,
    /// Unix seconds; 0: nothing waits.
    pub proposed_at: i64,
    pub recipients: u32,
    /// How many more.
    pub executions: u32,
    pub reserved: [u8; 8],
}

impl Proposal {
    pub const NONE: Self =
        Proposal { root: [0; 32], amount: 0, proposed_at: 0, recipients: 0, executions: 0, reserved: [0; 8] };

    /// How long the approver can agree: seconds. What was forgotten for longer is not what anybody means to pay.
    const LIFE: i64 = 30 * 86_400;

    /// Something waits, and not for too long.
    pub fn check_waits(&self, now: i64) -> Result<(), Failure> {
        if self.proposed_at == 0 {
            return Err(Failure::NothingProposed);
        }
        if now > self.proposed_at.saturating_add(Self::LIFE) { Err(Failure::ProposalExpired) } else { Ok(()) }
    }
}

const _: () = assert!(size_of::<Schedule>() == 448);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Schedule {
    const KIND: u8 = 4;
}

impl Schedule {
    pub const SEED: &'static [u8] = b"schedule";

    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open as u8
    }

    /// Cancelled or completed.
    pub fn has_ended(&self) -> bool {
        self.status == Status::Cancelled as u8 || self.status == Status::Completed as u8
    }

    pub fn is_awaiting(&self) -> bool {
        self.status == Status::Awaiting as u8
    }

    /// Puts a list in place of the present one. The reserve is the caller's.
    pub fn put_list(&mut self, root: [u8; 32], amount: u64, recipients: u32) -> Result<(), Failure> {
        self.root = root;
        self.amount = amount;
        self.recipients = recipients;
        self.root_version = self.root_version.checked_add(1).ok_or(Failure::Overflow)?;
        // Indexes are those of the list that is gone.
        self.held = [0; MAX_HELD];
        self.held_count = 0;
        Ok(())
    }

    /// Ends a schedule before its time; returns what the vault's reserve no longer holds for it, base units.
    pub fn cancel(&mut self, vault: &mut Vault) -> Result<u64, Failure> {
        let released = self.promised()?;
        amount::sub(&mut vault.reserved, released)?;
        self.executions_left = u32::from(self.is_open());
        self.status = Status::Cancelled as u8;
        self.proposal = Proposal::NONE;
        Ok(released)
    }

    /// Logs what is to hold once the approver agrees.
    pub fn log_proposal(&self, schedule: &Address) -> Result<(), Failure> {
        let (amount, recipients) = match self.proposal.recipients {
            0 => (self.amount, self.recipients),
            recipients => (self.proposal.amount, recipients),
        };
        Event::new(Kind::ScheduleProposed)
            .address(schedule)
            .u64(amount)
            .u32(recipients)
            .u32(self.executions_approved()?)
            .emit();
        Ok(())
    }

    /// Executions left once the approver agrees.
    pub fn executions_approved(&self) -> Result<u32, Failure> {
        self.executions_left.checked_add(self.proposal.executions).ok_or(Failure::Overflow)
    }

    /// Executions whose amounts lie in the vault's reserve: all that are left but the open window's.
    pub fn unopened(&self) -> u32 {
        self.executions_left.saturating_sub(u32::from(self.is_open()))
    }

    /// What the vault reserves for this schedule, base units.
    pub fn promised(&self) -> Result<u64, Failure> {
        amount::mul(self.amount, u64::from(self.unopened()))
    }

    pub fn calendar(&self) -> Calendar {
        Calendar { unit: self.unit, every: self.every, day: self.day }
    }

    /// Indexes held back.
    pub fn held(&self) -> &[u32] {
        self.held.get(..usize::from(self.held_count)).unwrap_or(&[])
    }

    /// Ends the open window; the counters of what was paid are the caller's.
    pub fn close_window(&mut self) -> Result<(), Failure> {
        self.phase = Phase::Idle as u8;
        self.opened_at = 0;
        self.window_amount = 0;
        self.window_recipients = 0;
        self.window_held = 0;
        self.window_moved_in = 0;
        self.window = self.window.checked_add(1).ok_or(Failure::Overflow)?;
        self.executions_left = self.executions_left.checked_sub(1).ok_or(Failure::Overflow)?;
        Ok(())
    }
}

/// Recipients of a schedule that can be held back at a time.
pub const MAX_HELD: usize = 32;
