use crate::{
    errors::Failure,
    hash::{self, Hash},
};
use pinocchio::Address;

/// Who may take over a private balance whose owner can't, a part of its personal account. It says who only to those who know the account's
/// address. All zero: nobody was ever named.
#[repr(C)]
pub struct Recovery {
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

/// Seconds in which a recovery can be refused, and in which a wallet that is replaced can still ask for one.
const DELAY: i64 = 14 * 86_400;

impl Recovery {
    /// Whether anybody was ever named.
    pub fn is_named(&self) -> bool {
        self.since != 0
    }

    /// The recovery wallet; zero: nobody.
    pub fn wallet_of(&self, personal: &Address) -> Address {
        if !self.is_named() {
            return Address::default();
        }
        Address::new_from_array(masked(self.wallet, personal, self.since))
    }

    /// Names a wallet: at once where there is none, else later, so that the present one can act before it is replaced. Naming the
    /// present one drops the change that waits.
    pub fn name(&mut self, personal: &Address, wallet: &Address, now: i64) -> Result<(), Failure> {
        let present = self.wallet_of(personal);
        (self.next_wallet, self.next_since) = ([0; 32], 0);
        if &present == wallet {
            return Ok(());
        }
        if present == Address::default() {
            self.set(personal, wallet, now);
        } else {
            self.next_since = now.checked_add(DELAY).ok_or(Failure::Overflow)?;
            self.next_wallet = masked(wallet.to_bytes(), personal, self.next_since);
        }
        Ok(())
    }

    fn set(&mut self, personal: &Address, wallet: &Address, now: i64) {
        self.wallet = masked(wallet.to_bytes(), personal, now);
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

    /// Makes the change that is due. A recovery that was asked for in time is not ended by one.
    pub fn make_due_change(&mut self, now: i64) {
        if self.due_at == 0 && self.next_since != 0 && now >= self.next_since {
            (self.wallet, self.since) = (self.next_wallet, self.next_since);
            (self.next_wallet, self.next_since) = ([0; 32], 0);
        }
    }
}

/// Masks a wallet, or unmasks it.
fn masked(mut wallet: Hash, personal: &Address, since: i64) -> Hash {
    let mask = hash::recovery_mask(personal.as_ref(), since);
    for (byte, hidden) in wallet.iter_mut().zip(mask) {
        *byte ^= hidden;
    }
    wallet
}
