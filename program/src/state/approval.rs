use super::{Header, State, Vault};
use crate::{data::data, errors::Failure};
use pinocchio::{AccountView, Address, cpi::Seed};

layout! {
    /// Who approves what a vault's employer prepares above its limit, and what is to change about that. The limit itself, and that there is
    /// a policy at all, are in the vault, so nobody can leave them out.
    #[account(kind = 11, size = 160)]
    #[seeds(b"approval", vault: Address)]
    pub struct Approval {
        pub header: Header,
        pub reserved_head: [u8; 5],
        pub vault: Address,
        pub approver: Address,
        /// Of the change that waits; zero: the policy is to go.
        pub next_approver: Address,
        /// Base units.
        pub next_limit: u64,
        /// Unix seconds from which the employer alone may make the change; 0: none waits.
        pub change_at: i64,
        /// Unix seconds.
        pub set_at: i64,
        /// Of the change that waits, base units.
        pub next_daily_limit: u64,
        pub reserved: [u8; 24],
    }
}

data! {
    /// Who approves, and above what.
    pub struct Terms {
        /// Zero: the policy is to go.
        approver: Address,
        /// Base units of an execution or a withdrawal that need no approval; 0 with a removal.
        limit: u64,
        /// Base units that are withdrawn or newly promised in a UTC day without approval; 0 with a removal.
        daily_limit: u64,
    }
}

/// How long a change stands on the ledger before the employer alone may make it: seconds.
pub const CHANGE_DELAY: i64 = 7 * 86_400;

/// Names the policy's removal where an approver stands else.
pub const NOBODY: Address = Address::new_from_array([0; 32]);

impl Approval {
    /// The policy is this vault's.
    pub fn check_vault(&self, vault: &Address) -> Result<(), Failure> {
        if &self.vault == vault { Ok(()) } else { Err(Failure::InvalidAccount) }
    }

    /// The account is the approver of this vault.
    pub fn check_approver(&self, vault: &Address, approver: &AccountView) -> Result<(), Failure> {
        self.check_vault(vault)?;
        if approver.address() == &self.approver { Ok(()) } else { Err(Failure::NotApprover) }
    }

    /// Makes an approver and limits the ones in force; no change waits any more.
    pub fn set(&mut self, vault: &mut Vault, terms: &Terms, now: i64) {
        self.approver = terms.approver;
        self.next_approver = NOBODY;
        self.next_limit = 0;
        self.next_daily_limit = 0;
        self.change_at = 0;
        self.set_at = now;
        vault.approval = 1;
        vault.approval_limit = terms.limit;
        vault.daily_limit = terms.daily_limit;
    }
}
