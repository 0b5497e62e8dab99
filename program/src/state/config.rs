use super::{Batch, Header, State};
use crate::{data::data, errors::Failure};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::Seed,
    sysvars::{Sysvar, clock::Clock},
};

layout! {
    /// Who may do what, and limits.
    #[account(kind = 1, size = 384)]
    #[seeds(b"config")]
    pub struct Config {
        pub header: Header,
        pub flags: u8,
        /// Recipients a schedule may have.
        pub max_recipients: u32,
        pub governance: Address,
        pub pending_governance: Address,
        /// The key that may open, claim and commit.
        pub execution_authority: Address,
        /// Identity of the execution layer's validator for pools that are created from now on; a pool keeps the one it began with.
        pub validator: Address,
        /// Seconds.
        pub min_interval: u32,
        /// Seconds.
        pub min_batch_timeout: u32,
        /// Seconds.
        pub max_batch_timeout: u32,
        /// Leaves that one claim instruction may hold.
        pub max_claims: u16,
        pub reserved_claims: [u8; 2],
        /// The second key, beside governance, that declares the execution layer lost.
        pub guardian: Address,
        /// Seconds between the declaration and its effect.
        pub loss_grace: u32,
        pub reserved_grace: u32,
        /// Unix seconds; 0 while the layer is not declared lost.
        pub loss_declared_at: i64,
        /// The key that governance proposed for the execution authority; zero: none.
        pub pending_authority: Address,
        /// Unix seconds from which that key may take over.
        pub authority_from: i64,
        /// Unix seconds; until then nothing is taken from the execution authority.
        pub suspended_until: i64,
        /// Unix seconds from which governance may suspend again.
        pub governance_suspends_from: i64,
        /// Unix seconds from which the guardian may suspend again.
        pub guardian_suspends_from: i64,
        /// The key that governance proposed in the guardian's place; zero: none.
        pub next_guardian: Address,
        /// Unix seconds from which that key may take over.
        pub guardian_from: i64,
        /// The key that the guardian proposed in governance's place; zero: none.
        pub next_governance: Address,
        /// Unix seconds from which that key may take over.
        pub governance_from: i64,
        /// Unix seconds from which governance may revoke a loss again.
        pub governance_revokes_from: i64,
        /// Unix seconds from which the guardian may revoke a loss again.
        pub guardian_revokes_from: i64,
        /// Lamports that an employer prepays for each window of a new schedule.
        pub window_fee: u32,
        /// Lamports that an employer prepays for each recipient of a new schedule's list.
        pub recipient_fee: u32,
        /// Lamports that an employer prepays for each token account that a new schedule's windows can have the sponsor open.
        pub opening_fee: u32,
        pub reserved: [u8; 12],
    }
}

impl Config {
    /// Flag: an employer needs to be on the whitelist.
    pub const EMPLOYERS_LISTED: u8 = 1;
    /// Flag: a mint needs to be on the whitelist.
    pub const MINTS_LISTED: u8 = 2;

    /// Whether a mint must be on the whitelist; `has_powers`: as its pool says.
    pub fn asks_for_mint(&self, has_powers: u8) -> bool {
        has_powers != 0 || self.flags & Self::MINTS_LISTED != 0
    }

    pub fn set_limits(&mut self, limits: &Limits) {
        self.max_recipients = limits.max_recipients;
        self.min_interval = limits.min_interval;
        self.min_batch_timeout = limits.min_batch_timeout;
        self.max_batch_timeout = limits.max_batch_timeout;
        self.max_claims = limits.max_claims;
        self.window_fee = limits.window_fee;
        self.recipient_fee = limits.recipient_fee;
        self.opening_fee = limits.opening_fee;
    }

    /// Whether the declared loss has taken effect by `now` (unix seconds).
    pub fn is_lost(&self, now: i64) -> bool {
        self.loss_declared_at != 0 && now >= self.loss_final_at()
    }

    /// When a declared loss takes effect, unix seconds.
    pub fn loss_final_at(&self) -> i64 {
        self.loss_declared_at.saturating_add(i64::from(self.loss_grace))
    }

    /// The account is the execution authority, and it is not suspended.
    pub fn check_authority(&self, authority: &AccountView) -> ProgramResult {
        if authority.address() != &self.execution_authority {
            return Err(Failure::NotExecutionAuthority.into());
        }
        if self.suspended_until != 0 && Clock::get()?.unix_timestamp < self.suspended_until {
            return Err(Failure::Suspended.into());
        }
        Ok(())
    }

    /// The key is governance's or the guardian's.
    pub fn check_either_key(&self, key: &AccountView) -> Result<(), Failure> {
        if key.address() == &self.governance || key.address() == &self.guardian {
            Ok(())
        } else {
            Err(Failure::NotGovernance)
        }
    }

    /// A key is proposed for the execution authority.
    pub fn check_proposed(&self) -> Result<(), Failure> {
        if self.pending_authority == Address::default() { Err(Failure::NothingProposed) } else { Ok(()) }
    }

    /// Ends the proposal of another execution authority, and returns whom it named.
    pub fn end_proposal(&mut self) -> Address {
        self.authority_from = 0;
        core::mem::take(&mut self.pending_authority)
    }

    /// Another key governs. What the former one had proposed or offered ends: it may be in wrong hands.
    pub fn replace_governance(&mut self, key: Address) {
        self.governance = key;
        self.pending_governance = Address::default();
        self.end_next_governance();
        self.end_next_guardian();
        self.end_proposal();
    }

    /// Another key is the guardian. What the former one had proposed ends, and so does every other way to replace it.
    pub fn replace_guardian(&mut self, key: Address) {
        self.guardian = key;
        self.end_next_guardian();
        self.end_next_governance();
    }

    pub fn end_next_guardian(&mut self) {
        self.next_guardian = Address::default();
        self.guardian_from = 0;
    }

    pub fn end_next_governance(&mut self) {
        self.next_governance = Address::default();
        self.governance_from = 0;
    }

    /// The account is governance.
    pub fn check_governance(&self, governance: &AccountView) -> ProgramResult {
        if governance.address() == &self.governance { Ok(()) } else { Err(Failure::NotGovernance.into()) }
    }

    /// The account is the guardian.
    pub fn check_guardian(&self, guardian: &AccountView) -> ProgramResult {
        if guardian.address() == &self.guardian { Ok(()) } else { Err(Failure::NotGuardian.into()) }
    }

    /// A list that a schedule may have: how many recipients, and base units for each execution.
    pub fn check_list(&self, recipients: u32, amount: u64) -> Result<(), Failure> {
        if recipients == 0 || recipients > self.max_recipients {
            return Err(Failure::TooManyRecipients);
        }
        if amount == 0 { Err(Failure::ZeroAmount) } else { Ok(()) }
    }

    /// Nobody has declared the layer lost.
    pub fn check_not_declared(&self) -> Result<(), Failure> {
        if self.loss_declared_at == 0 { Ok(()) } else { Err(Failure::LayerLost) }
    }

    /// The layer is not lost for good.
    pub fn check_not_lost(&self) -> ProgramResult {
        if self.loss_declared_at != 0 && self.is_lost(Clock::get()?.unix_timestamp) {
            Err(Failure::LayerLost.into())
        } else {
            Ok(())
        }
    }

    /// The layer is lost for good.
    pub fn check_lost(&self) -> ProgramResult {
        if self.is_lost(Clock::get()?.unix_timestamp) { Ok(()) } else { Err(Failure::LayerNotLost.into()) }
    }
}

/// Shortest and longest grace time, seconds: a day and 90 days.
const GRACE: core::ops::RangeInclusive<u32> = 86_400..=90 * 86_400;
/// Leaves of one claim. At most as many as fit into one transaction of the layer, 65,536 bytes. The limit counts for windows that are open, too:
/// with fewer than the least, governance alone could have them miss their timeout. With 50, a list of 100,000 takes 2,000 transactions, of
/// which a coordinator has 16 under way: 13 s if each takes 100 ms.
const CLAIMS: core::ops::RangeInclusive<u16> = 50..=1_100;

data! {
    /// What schedules and claims of a deployment must keep to, and what employers prepay.
    pub struct Limits {
        max_recipients: u32,
        /// Seconds.
        min_interval: u32,
        /// Seconds.
        min_batch_timeout: u32,
        /// Seconds.
        max_batch_timeout: u32,
        max_claims: u16,
        /// Lamports for each window of a new schedule.
        window_fee: u32,
        /// Lamports for each recipient of a new schedule's list.
        recipient_fee: u32,
        /// Lamports for each least opening of a new schedule's windows.
        opening_fee: u32,
    }
}

impl Limits {
    /// The limits make sense.
    pub fn check(&self) -> Result<(), Failure> {
        if self.max_recipients == 0
            || self.max_recipients > Batch::MAX_RECIPIENTS
            || self.min_interval == 0
            || self.min_batch_timeout == 0
            || self.min_batch_timeout > self.max_batch_timeout
            || !CLAIMS.contains(&self.max_claims)
        {
            return Err(Failure::InvalidConfig);
        }
        Ok(())
    }
}

/// Flags that are known.
pub fn check_flags(flags: u8) -> Result<(), Failure> {
    if flags & !(Config::EMPLOYERS_LISTED | Config::MINTS_LISTED) == 0 { Ok(()) } else { Err(Failure::InvalidConfig) }
}

/// Keys that nobody holds would close what they open for good.
pub fn check_keys(keys: &[&Address]) -> Result<(), Failure> {
    if keys.contains(&&Address::default()) { Err(Failure::InvalidConfig) } else { Ok(()) }
}

/// Two different keys, and a grace time in its bounds.
pub fn check_guardian_terms(governance: &Address, guardian: &Address, grace: u32) -> Result<(), Failure> {
    check_keys(&[governance, guardian])?;
    if governance == guardian || !GRACE.contains(&grace) {
        return Err(Failure::InvalidConfig);
    }
    Ok(())
}
