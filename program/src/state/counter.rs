use super::{Header, Pool, State};
use crate::{amount, errors::Failure};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Numbers the withdrawals of one token, and pays for its personal accounts; delegated to the execution layer for good.
    #[account(kind = 7, size = 64)]
    #[seeds(b"counter", mint: Address)]
    pub struct Counter {
        pub header: Header,
        pub reserved_head: [u8; 5],
        pub mint: Address,
        /// Next withdrawal number, from 1.
        pub next: u64,
        /// Base units asked for since the beginning; wraps.
        pub requested: u64,
        /// Private transfers made since the beginning; wraps. Whoever makes a liabilities tree sees by it that balances have changed.
        pub transfers: u64,
    }
}

impl Counter {
    /// A counter behind the numbers that the base knows has begun anew: the layer has lost its state, and with it the balances.
    pub fn check_kept(&self, pool: &Pool) -> Result<(), Failure> {
        if self.next < pool.covered_to || self.next <= pool.highest_withdrawal {
            return Err(Failure::LayerStateLost);
        }
        Ok(())
    }

    /// The next number, for a withdrawal of so many base units.
    pub fn take_number(&mut self, pool: &Pool, withdrawal: u64) -> Result<u64, Failure> {
        self.check_kept(pool)?;
        let number = self.next;
        amount::add(&mut self.next, 1)?;
        self.requested = self.requested.wrapping_add(withdrawal);
        Ok(number)
    }
}
