use super::{Header, State};
use crate::{amount, errors::Failure, hash::Hash};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Where the money of opened windows lies until recipients take it out: one per mint, never delegated.
    #[account(kind = 2, size = 352)]
    #[seeds(b"pool", mint: Address)]
    pub struct Pool {
        pub header: Header,
        pub decimals: u8,
        /// Leaves of the recorded liabilities tree.
        pub liability_leaves: u32,
        pub mint: Address,
        pub token_account: Address,
        pub token_program: Address,
        /// Base units moved in from vaults when windows opened. Sums over a lifetime wrap.
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
        /// First withdrawal number that the recorded tree may not know: the layer's counter must have come as far.
        pub covered_to: u64,
        /// Number of the recorded root; 0 when none is recorded.
        pub sequence: u64,
        /// Unix seconds.
        pub recorded_at: i64,
        /// Redeemed by recipients after a loss, base units; part of `paid_out`.
        pub redeemed: u64,
        /// What had moved in when the last window was opened that the recorded tree knows, base units.
        pub recorded_in: u64,
        /// Windows opened since the beginning.
        pub openings: u64,
        /// How many of them the recorded tree knows: the first ones.
        pub recorded_openings: u64,
        /// What is left of the recorded tree's total, base units: nothing more is paid by that tree.
        pub liabilities_left: u64,
        /// Identity of the execution layer's validator: this token's batches and counter are delegated to it alone, and it alone has
        /// withdrawals paid. Named once, so that no key can turn an existing pool to another.
        pub validator: Address,
        /// Root of the tree of withdrawals to be paid that was recorded with the liabilities: nothing else is paid out.
        pub withdrawals_root: Hash,
        /// Least base units of a withdrawal for which the sponsor opens the wallet's token account, if it is missing.
        pub least_opening: u64,
        /// Windows closed since the beginning: with `openings`, how many are open, and whether any was closed between two looks.
        pub closings: u64,
        pub withdrawal_leaves: u32,
        /// Of the address of the token's sponsor.
        pub sponsor_bump: u8,
        /// 1: somebody has a power over the mint's tokens, and governance had to list it.
        pub has_powers: u8,
        pub reserved: [u8; 10],
    }
}

impl Pool {
    /// A least opening that no amount reaches: the sponsor opens no token account.
    pub const NO_OPENING: u64 = u64::MAX;

    /// How many token accounts what is held can have the sponsor open, if all of it leaves in least openings; 0 where nothing bounds them.
    pub fn openings_held(&self) -> u64 {
        self.held().checked_div(self.least_opening).unwrap_or(0)
    }

    /// What the counters say that the pool holds: money rule "pool = open windows + private balances + withdrawals under way". What is held
    /// fits, so it is exact whether the sums have wrapped or not.
    pub fn held(&self) -> u64 {
        self.moved_in.wrapping_sub(self.returned).wrapping_sub(self.paid_out)
    }

    /// Counts a window's amount as moved in; returns the window's place among the openings.
    pub fn move_in(&mut self, amount: u64) -> Result<u64, Failure> {
        amount::add(&mut self.open, amount)?;
        // Where the pool would hold more than fits, its sums would say too little.
        self.held().checked_add(amount).ok_or(Failure::Overflow)?;
        self.moved_in = self.moved_in.wrapping_add(amount);
        amount::add(&mut self.openings, 1)?;
        Ok(self.openings)
    }

    /// Counts a window as over, and what returns of it to its vault.
    pub fn close_window(&mut self, amount: u64, returned: u64) -> Result<(), Failure> {
        if returned > self.held() {
            return Err(Failure::PoolShortfall);
        }
        self.returned = self.returned.wrapping_add(returned);
        amount::add(&mut self.closings, 1)?;
        amount::sub(&mut self.open, amount)
    }

    /// Counts what is paid out of what the recorded tree says that it owes.
    pub fn pay(&mut self, amount: u64) -> Result<(), Failure> {
        self.take_recorded(amount)?;
        self.paid_out = self.paid_out.wrapping_add(amount);
        Ok(())
    }

    /// Takes from what the recorded tree says that it owes. Whatever its leaves say, no more leaves by them than their total was, so
    /// that windows which it doesn't know stay whole.
    pub fn take_recorded(&mut self, amount: u64) -> Result<(), Failure> {
        self.liabilities_left = self.liabilities_left.checked_sub(amount).ok_or(Failure::PoolShortfall)?;
        Ok(())
    }
}
