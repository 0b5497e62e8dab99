use crate::errors::Failure;
use pinocchio::Address;

/// Who may take over a private balance whose owner can't, a part of its personal account. All zero: nobody is named.
#[repr(C)]
pub struct Recovery {
    /// Zero: nobody.
    pub wallet: Address,
    /// The one that takes its place; zero: nobody.
    pub next_wallet: Address,
    /// Unix seconds from which on it does, unless a recovery is under way; 0: no change waits.
    pub next_since: i64,
    /// Unix seconds from which on the recovery under way can be completed; 0: there is none.
    pub due_at: i64,
}

/// Seconds in which a recovery can be refused, and in which a wallet that is replaced can still ask for one.
const DELAY: i64 = 14 * 86_400;
const NOBODY: Address = Address::new_from_array([0; 32]);

impl Recovery {
    /// Whether somebody is named, or is to be.
    pub fn is_named(&self) -> bool {
        self.wallet != NOBODY || self.next_since != 0
    }

    /// Names a wallet: at once where there is none, else later, so that the present one can act before it is replaced. Naming the
    /// present one drops the change that waits.
    pub fn name(&mut self, wallet: &Address, now: i64) -> Result<(), Failure> {
        (self.next_wallet, self.next_since) = (NOBODY, 0);
        if &self.wallet == wallet {
            return Ok(());
        }
        if self.wallet == NOBODY {
            self.wallet = *wallet;
        } else {
            self.next_since = now.checked_add(DELAY).ok_or(Failure::Overflow)?;
            self.next_wallet = *wallet;
        }
        Ok(())
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
            self.wallet = self.next_wallet;
            (self.next_wallet, self.next_since) = (NOBODY, 0);
        }
    }
}
