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
        /// The pool's.
        pub has_powers: u8,
        pub reserved_policy: [u8; 1],
        /// The UTC day that `spent_alone` is of, in days since 1970.
        pub spent_day: u32,
        /// Most base units of an execution or a withdrawal that need no approval.
        pub approval_limit: u64,
        /// Most base units that are withdrawn or newly promised in a UTC day without approval.
        pub daily_limit: u64,
        /// Withdrawn and newly promised without approval on that day, base units.
        pub spent_alone: u64,
        pub reserved_tail: [u8; 8],
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

    /// Whether the employer alone may withdraw, or newly promise, `sum` base units, of which an execution or the withdrawal takes
    /// `amount`. What they may counts for the UTC day of `now`, unix seconds.
    pub fn spend_alone(&mut self, amount: u64, sum: u64, now: i64) -> bool {
        if self.approval == 0 {
            return true;
        }
        // The machine divides unsigned numbers only; the ledger's time is never before 1970.
        let today = u32::try_from(now.unsigned_abs() / 86_400).unwrap_or(u32::MAX);
        let spent = if self.spent_day == today { self.spent_alone } else { 0 };
        match spent.checked_add(sum) {
            Some(spent) if amount <= self.approval_limit && spent <= self.daily_limit => {
                self.spent_day = today;
                self.spent_alone = spent;
                true
            }
            _ => false,
        }
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
