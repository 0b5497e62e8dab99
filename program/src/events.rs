//! One event per change of state, logged as bytes: number, then fields.

use crate::hash::Hash;
use pinocchio::Address;

/// An event to be logged. Packed, so that its bytes are its fields'.
pub trait Event: Sized {
    const NUMBER: u8;

    /// Logs the event.
    #[inline(always)]
    fn emit(self) {
        #[repr(C, packed)]
        struct Logged<E>(u8, E);

        let logged = Logged(Self::NUMBER, self);
        // SAFETY: a packed struct of packed fields has no padding.
        log(unsafe { core::slice::from_raw_parts((&raw const logged).cast(), size_of::<Logged<Self>>()) });
    }
}

fn log(bytes: &[u8]) {
    let fields: [&[u8]; 1] = [bytes];
    // SAFETY: a slice of slices has the layout that the syscall reads (pointer, length).
    unsafe { solana_define_syscall::definitions::sol_log_data(fields.as_ptr().cast(), 1) };
}

macro_rules! events {
    (
        $(#[doc = $doc:expr])*
        pub enum $Events:ident { $($Name:ident $({ $($field:ident: $Type:ty),* $(,)? })? = $number:literal,)* }
    ) => {
        $(#[doc = $doc])*
        #[repr(u8)]
        enum $Events { $($Name = $number,)* }

        $(
            #[repr(C, packed)]
            pub struct $Name {
                $($(pub $field: $Type,)*)?
            }

            impl Event for $Name {
                const NUMBER: u8 = $Events::$Name as u8;
            }
        )*
    };
}

events! {
    /// What the program logs for every change of state: the event's number, then its fields.
    pub enum PayoutEvent {
        ConfigCreated = 0,
        ConfigUpdated = 1,
        GovernanceAccepted { governance: Address } = 2,
        GuardianUpdated { guardian: Address } = 3,
        WhitelistSet { subject: Address, allowed: u8 } = 4,
        PoolCreated { mint: Address } = 5,
        CounterCreated { mint: Address } = 6,
        VaultOpened { vault: Address } = 7,
        Deposited { vault: Address, amount: u64 } = 8,
        Withdrawn { vault: Address, amount: u64 } = 9,
        ScheduleCreated { schedule: Address, amount: u64, recipients: u32, executions: u32 } = 10,
        ScheduleFunded { schedule: Address, executions: u32 } = 11,
        RecipientsUpdated { schedule: Address, root_version: u32, amount: u64, recipients: u32 } = 12,
        SchedulePaused { schedule: Address } = 13,
        ScheduleResumed { schedule: Address, next_execution: i64 } = 14,
        ScheduleCancelled { schedule: Address, released: u64 } = 15,
        RecipientHeld { schedule: Address, index: u32 } = 16,
        RecipientReleased { schedule: Address, index: u32 } = 17,
        WindowOpened { schedule: Address, window: u64, amount: u64, recipients: u32, held: u32 } = 18,
        WindowSettled {
            schedule: Address,
            window: u64,
            paid_count: u32,
            paid_amount: u64,
            returned: u64,
            bitmap_hash: Hash,
        } = 19,
        LiabilitiesRecorded { mint: Address, sequence: u64, root: Hash, total: u64, covered_to: u64 } = 20,
        WithdrawalPaid { mint: Address, number: u64, amount: u64 } = 21,
        ScheduleClosed { schedule: Address } = 22,
        VaultClosed { vault: Address, returned: u64 } = 23,
        LossDeclared { final_at: i64 } = 24,
        LossRevoked = 25,
        BalanceRedeemed { mint: Address, index: u32, amount: u64 } = 26,
        WindowReclaimed { schedule: Address, window: u64, returned: u64 } = 27,
        ClaimsProcessed { paid: u32, already_paid: u32, skipped: u32 } = 28,
        WindowCommitted { schedule: Address, window: u64, paid_count: u32, paid_amount: u64 } = 29,
        WithdrawalRequested { number: u64 } = 30,
        WithdrawalIssued { number: u64 } = 31,
        WithdrawalConfirmed { number: u64 } = 32,
        StandingOrderSet = 33,
        WithdrawalRedirected { number: u64 } = 34,
        WithdrawalPlanned = 35,
        ApprovalSet { vault: Address, approver: Address, limit: u64, daily_limit: u64 } = 36,
        ApprovalChangeProposed {
            vault: Address,
            approver: Address,
            limit: u64,
            daily_limit: u64,
            change_at: i64,
        } = 37,
        ApprovalRemoved { vault: Address } = 38,
        ScheduleProposed { schedule: Address, amount: u64, recipients: u32, executions: u32 } = 39,
        ScheduleApproved {
            schedule: Address,
            root_version: u32,
            amount: u64,
            recipients: u32,
            executions: u32,
            next_execution: i64,
        } = 40,
        ScheduleRejected { schedule: Address, released: u64 } = 41,
        AuthorityProposed { authority: Address, from: i64 } = 42,
        AuthorityApproved { authority: Address } = 43,
        AuthorityAccepted { authority: Address } = 44,
        AuthorityRefused { authority: Address } = 45,
        AuthoritySuspended { until: i64 } = 46,
        SuspensionLifted = 47,
        WithdrawalCancelled = 48,
        ReplacementProposed { replaced: Address, key: Address, from: i64 } = 49,
        ReplacementAccepted { replaced: Address, key: Address } = 50,
        ReplacementRefused { key: Address } = 51,
        LeastOpeningSet { mint: Address, amount: u64 } = 52,
        RecoveryNamed = 53,
        RecoveryRequested = 54,
        RecoveryRefused = 55,
        RecoveryCompleted = 56,
        PersonalOpened = 57,
        TransferPlanned = 58,
        TransferMade = 59,
        WindowsReserved { schedule: Address, windows: u8 } = 60,
        RoleSet { employer: Address, holder: Address, kind: u8 } = 61,
    }
}
