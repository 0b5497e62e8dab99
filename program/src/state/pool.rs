use super::{Header, State};
use crate::{errors::Failure, hash::Hash};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Where the money of opened windows lies until recipients take it out: one per mint, never delegated.
    #[account(kind = 2, size = 256)]
    #[seeds(b"pool", mint: Address)]
    pub struct Pool {
        pub header: Header,
        pub decimals: u8,
        /// Leaves of the recorded liabilities tree.
        pub liability_leaves: u32,
        pub mint: Address,
        pub token_account: Address,
        pub token_program: Address,
        /// Base units moved in from vaults when windows opened.
        pub moved_in: u64,
        /// Base units returned to vaults when windows were settled.
        pub returned: u64,
        /// Base units paid out to wallets.
        pub paid_out: u64,
        /// Sum of open windows' amounts, base units.
        pub open: u64,
        pub highest_withdrawal: u64,
        pub withdrawals: u64,
        /// Root of the last recorded tree of everything that this pool owes.
        pub liabilities_root: Hash,
        /// What that tree's leaves came to when it was recorded, base units.
        pub liabilities_total: u64,
        /// First withdrawal number that the recorded tree may not know.
        pub covered_to: u64,
        /// Number of the recorded root; 0 when none is recorded.
        pub sequence: u64,
        /// Unix seconds.
        pub recorded_at: i64,
        /// Redeemed by recipients after a loss, base units; part of `paid_out`.
        pub redeemed: u64,
        /// What had moved in when the last window was opened that the recorded tree knows, base units.
        pub recorded_in: u64,
        pub reserved: [u8; 24],
    }
}

impl Pool {
    /// What the counters say that the pool holds: money rule "pool = open windows + private balances + withdrawals under way".
    pub fn held(&self) -> Result<u64, Failure> {
        self.moved_in
            .checked_sub(self.returned)
            .and_then(|rest| rest.checked_sub(self.paid_out))
            .ok_or(Failure::PoolShortfall)
    }
}
