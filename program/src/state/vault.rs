use super::{Header, State};
use crate::{amount, errors::Failure};
use pinocchio::{AccountView, Address, ProgramResult, cpi::Seed};

layout! {
    /// An employer's balance of one token.
    ///
    /// Always: deposited = withdrawn + available + reserved + open + paid. Lifetime sums wrap beyond the u64 maximum: only what lies
    /// between them counts, and a token's supply fits.
    #[account(kind = 3, size = 192)]
    #[seeds(b"vault", employer: Address, mint: Address)]
    pub struct Vault {
        pub header: Header,
        pub decimals: u8,
        /// Schedules created and not yet closed.
        pub schedules: u32,
        pub employer: Address,
        pub mint: Address,
        pub token_account: Address,
        /// Promised to windows not yet opened, base units.
        pub reserved: u64,
        /// In open windows, base units.
        pub open: u64,
        pub deposited: u64,
        pub withdrawn: u64,
        pub paid: u64,
        /// Least id of the next schedule: an id, and with it an address, is never used twice.
        pub next_id: u64,
        pub closed: u8,
        /// 1: an approval policy stands.
        pub approval: u8,
        pub reserved_policy: [u8; 6],
        /// Most base units of an execution or a withdrawal that need no approval.
        pub approval_limit: u64,
        pub reserved_tail: [u8; 24],
    }
}

impl Vault {
    /// The account is the employer, and the vault is not closed.
    pub fn check_employer(&self, employer: &AccountView) -> ProgramResult {
        if employer.address() != &self.employer {
            return Err(Failure::NotEmployer.into());
        }
        self.check_open()
    }

    /// The vault is not closed.
    pub fn check_open(&self) -> ProgramResult {
        if self.closed == 0 { Ok(()) } else { Err(Failure::VaultClosed.into()) }
    }

    /// Whether the approver must agree to an execution or a withdrawal of so many base units.
    pub fn needs_approval(&self, amount: u64) -> bool {
        self.approval != 0 && amount > self.approval_limit
    }

    /// Promises an amount out of what is available.
    pub fn reserve(&mut self, promised: u64) -> Result<(), Failure> {
        if promised > self.available()? {
            return Err(Failure::InsufficientAvailable);
        }
        amount::add(&mut self.reserved, promised)
    }

    /// In the vault and in its open windows: what came in and has not gone for good, base units.
    pub fn held(&self) -> u64 {
        self.deposited.wrapping_sub(self.withdrawn).wrapping_sub(self.paid)
    }

    /// Base units neither promised nor spent. Fails if the vault's rule were ever broken.
    pub fn available(&self) -> Result<u64, Failure> {
        self.held()
            .checked_sub(self.reserved)
            .and_then(|rest| rest.checked_sub(self.open))
            .ok_or(Failure::InsufficientAvailable)
    }
}
