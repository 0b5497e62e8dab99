//! One event per change of state, logged as bytes: number, then fields. The list: docs/internals/ledger-program.md.

use crate::hash::Hash;
use pinocchio::Address;

/// Number of an event.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Kind {
    ConfigCreated = 0,
    ConfigUpdated = 1,
    GovernanceAccepted = 2,
    GuardianUpdated = 3,
    WhitelistSet = 4,
    PoolCreated = 5,
    CounterCreated = 6,
    VaultOpened = 7,
    Deposited = 8,
    Withdrawn = 9,
    ScheduleCreated = 10,
    ScheduleFunded = 11,
    RecipientsUpdated = 12,
    SchedulePaused = 13,
    ScheduleResumed = 14,
    ScheduleCancelled = 15,
    RecipientHeld = 16,
    RecipientReleased = 17,
    WindowOpened = 18,
    WindowSettled = 19,
    LiabilitiesRecorded = 20,
    WithdrawalPaid = 21,
    ScheduleClosed = 22,
    VaultClosed = 23,
    LossDeclared = 24,
    LossRevoked = 25,
    BalanceRedeemed = 26,
    WindowReclaimed = 27,
    ClaimsProcessed = 28,
    WindowCommitted = 29,
    WithdrawalRequested = 30,
    WithdrawalIssued = 31,
    WithdrawalConfirmed = 32,
    StandingOrderSet = 33,
    WithdrawalRedirected = 34,
    WithdrawalPlanned = 35,
    ApprovalSet = 36,
    ApprovalChangeProposed = 37,
    ApprovalRemoved = 38,
    ScheduleProposed = 39,
    ScheduleApproved = 40,
    ScheduleRejected = 41,
}

/// Longest event: a settlement's.
const LONGEST: usize = 1 + 32 + 8 + 4 + 8 + 8 + 32;

/// An event being written, front to back.
pub struct Event {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Event {
    pub fn new(kind: Kind) -> Self {
        let mut bytes = [0; LONGEST];
        bytes[0] = kind as u8;
        Event { bytes, length: 1 }
    }

    fn push<const N: usize>(mut self, field: &[u8; N]) -> Self {
        if let Some(place) = self.bytes.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut::<N>()) {
            *place = *field;
            self.length = self.length.wrapping_add(N);
        }
        self
    }

    pub fn address(self, address: &Address) -> Self {
        self.push(address.as_array())
    }

    pub fn hash(self, hash: &Hash) -> Self {
        self.push(hash)
    }

    pub fn u8(self, number: u8) -> Self {
        self.push(&[number])
    }

    pub fn u32(self, number: u32) -> Self {
        self.push(&number.to_le_bytes())
    }

    pub fn u64(self, number: u64) -> Self {
        self.push(&number.to_le_bytes())
    }

    pub fn i64(self, number: i64) -> Self {
        self.push(&number.to_le_bytes())
    }

    /// Logs the event.
    pub fn emit(&self) {
        let written = self.bytes.get(..self.length).unwrap_or(&[]);
        let fields: [&[u8]; 1] = [written];
        // SAFETY: a slice of slices has the layout that the syscall reads (pointer, length).
        unsafe { solana_define_syscall::definitions::sol_log_data(fields.as_ptr().cast(), 1) };
    }
}
