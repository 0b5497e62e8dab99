use super::{Header, State};
use crate::{
    context::Account,
    errors::Failure,
    hash::{self, Hash},
    layer,
};
use pinocchio::{AccountView, Address, cpi::Seed, error::ProgramError};

layout! {
    /// Who may take over a private balance whose owner can't; an ephemeral account of the execution layer, for those who name somebody. It
    /// says of which balance only to those who know its address.
    #[account(kind = 12, size = 96)]
    #[seeds(b"recovery", balance: Address)]
    pub struct Recovery {
        pub header: Header,
        pub reserved_head: [u8; 5],
        /// The recovery wallet, masked: see the hashes.
        pub wallet: Hash,
        /// Unix seconds from which on it is, a part of its mask.
        pub since: i64,
        /// The one that takes its place, masked; zero behind the mask: nobody.
        pub next_wallet: Hash,
        /// Unix seconds from which on it does, unless a recovery is under way; 0: no change waits.
        pub next_since: i64,
        /// Unix seconds from which on the recovery under way can be completed; 0: there is none.
        pub due_at: i64,
    }
}

/// Seconds in which a recovery can be refused, and in which a wallet that is replaced can still ask for one.
const DELAY: i64 = 14 * 86_400;

/// Recovery accounts that a token's counter can pay for.
const MOST: u64 = 1_000;

impl Recovery {
    /// Lamports with which a counter is delegated, beside its own rent.
    pub const FLOAT: u64 = layer::rent(size_of::<Recovery>()).saturating_mul(MOST);

    /// Takes the recovery account of a balance, as it is now: with the change that is due.
    pub fn of_balance(
        account: &AccountView,
        balance: &Address,
        now: i64,
        program_id: &Address,
    ) -> Result<Account<Recovery>, ProgramError> {
        let mut recovery = Account::<Recovery>::of_writable(account, program_id)?;
        let bump = [recovery.header.bump];
        crate::accounts::at(account, &[Self::SEED, balance.as_ref(), &bump], program_id)?;
        recovery.make_due_change(now);
        Ok(recovery)
    }

    /// The recovery wallet; zero: nobody.
    pub fn wallet_of(&self, balance: &Address) -> Address {
        Address::new_from_array(masked(self.wallet, balance, self.since))
    }

    /// Names a wallet: at once where there is none, else later, so that the present one can act before it is replaced. Naming the
    /// present one drops the change that waits.
    pub fn name(&mut self, balance: &Address, wallet: &Address, now: i64) -> Result<(), Failure> {
        let present = self.wallet_of(balance);
        (self.next_wallet, self.next_since) = ([0; 32], 0);
        if &present == wallet {
            return Ok(());
        }
        if present == Address::default() {
            self.set(balance, wallet, now);
        } else {
            self.next_since = now.checked_add(DELAY).ok_or(Failure::Overflow)?;
            self.next_wallet = masked(wallet.to_bytes(), balance, self.next_since);
        }
        Ok(())
    }

    /// Names a wallet where nobody has been.
    pub fn set(&mut self, balance: &Address, wallet: &Address, now: i64) {
        self.wallet = masked(wallet.to_bytes(), balance, now);
        self.since = now;
    }

    /// Begins a recovery.
    pub fn request(&mut self, now: i64) -> Result<(), Failure> {
        if self.due_at != 0 {
            return Err(Failure::RecoveryUnderWay);
        }
        self.due_at = now.checked_add(DELAY).ok_or(Failure::Overflow)?;
        Ok(())
    }

    /// Ends the recovery under way, and makes the change that has waited for its end.
    pub fn refuse(&mut self, now: i64) -> Result<(), Failure> {
        if self.due_at == 0 {
            return Err(Failure::NoRecoveryUnderWay);
        }
        self.due_at = 0;
        self.make_due_change(now);
        Ok(())
    }

    /// A recovery is under way, and its owner has had the time to refuse it.
    pub fn check_due(&self, now: i64) -> Result<(), Failure> {
        match self.due_at {
            0 => Err(Failure::NoRecoveryUnderWay),
            due_at if now < due_at => Err(Failure::RecoveryNotDue),
            _ => Ok(()),
        }
    }

    /// A recovery that was asked for in time is not ended by a change.
    fn make_due_change(&mut self, now: i64) {
        if self.due_at == 0 && self.next_since != 0 && now >= self.next_since {
            (self.wallet, self.since) = (self.next_wallet, self.next_since);
            (self.next_wallet, self.next_since) = ([0; 32], 0);
        }
    }
}

/// Masks a wallet, or unmasks it.
fn masked(mut wallet: Hash, balance: &Address, since: i64) -> Hash {
    let mask = hash::recovery_mask(balance.as_ref(), since);
    for (byte, hidden) in wallet.iter_mut().zip(mask) {
        *byte ^= hidden;
    }
    wallet
}
