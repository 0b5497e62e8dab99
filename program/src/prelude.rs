//! What nearly every instruction uses.

pub(crate) use crate::{
    accounts::{self, Creation},
    amount,
    context::{
        Account, AssociatedTokenProgram, Context, DelegationProgram, Derived, EphemeralVault, InstructionsSysvar,
        Known, KnownAddress, MagicContext, MagicProgram, PermissionProgram, SystemProgram, ThisProgram, accounts,
    },
    data::{Read, data},
    errors::Failure,
    events::{self, Event},
    hash::{self, Hash},
    state::{
        Approval, BalancePage, Batch, BatchPhase, BitmapPage, Code, Config, Counter, MissedWindows, Page, Personal,
        Pool, Proposal, RedeemedPage, Role, RoleKind, Schedule, SchedulePhase, ScheduleStatus, Vault, WhitelistEntry,
        WipedPersonal,
    },
    withdrawal::{Withdrawal, WithdrawalProof},
};
pub(crate) use pinocchio::{AccountView, Address, ProgramResult};

use pinocchio::{
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// The ledger's time, unix seconds.
pub(crate) fn now() -> Result<i64, ProgramError> {
    Ok(Clock::get()?.unix_timestamp)
}
