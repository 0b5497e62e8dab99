use super::{Batch, Header, State};
use crate::{accounts, data::Reader, errors::Failure};
use pinocchio::{
    AccountView, Address, ProgramResult,
    sysvars::{Sysvar, clock::Clock},
};

/// Who may do what, and limits. PDA `["config"]`.
#[repr(C)]
pub struct Config {
    pub header: Header,
    pub flags: u8,
    /// Recipients a schedule may have.
    pub max_recipients: u32,
    pub governance: Address,
    pub pending_governance: Address,
    /// The key that may open, claim and commit.
    pub execution_authority: Address,
    /// Identity of the execution layer's validator: batches are delegated to it alone.
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
    pub reserved: [u8; 56],
}

const _: () = assert!(size_of::<Config>() == 256);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for Config {
    const KIND: u8 = 1;
}

impl Config {
    pub const SEED: &'static [u8] = b"config";
    /// Flag: an employer needs to be on the whitelist.
    pub const EMPLOYERS_LISTED: u8 = 1;
    /// Flag: a mint needs to be on the whitelist.
    pub const MINTS_LISTED: u8 = 2;

    pub fn set_limits(&mut self, limits: &Limits) {
        self.max_recipients = limits.max_recipients;
        self.min_interval = limits.min_interval;
        self.min_batch_timeout = limits.min_batch_timeout;
        self.max_batch_timeout = limits.max_batch_timeout;
        self.max_claims = limits.max_claims;
    }

    /// Whether the declared loss has taken effect by `now` (unix seconds).
    pub fn is_lost(&self, now: i64) -> bool {
        self.loss_declared_at != 0 && now >= self.loss_final_at()
    }

    /// When a declared loss takes effect, unix seconds.
    pub fn loss_final_at(&self) -> i64 {
        self.loss_declared_at.saturating_add(i64::from(self.loss_grace))
    }

    /// The signer is the execution authority.
    pub fn check_authority(&self, authority: &AccountView) -> ProgramResult {
        accounts::signer(authority)?;
        if authority.address() == &self.execution_authority {
            Ok(())
        } else {
            Err(Failure::NotExecutionAuthority.into())
        }
    }

    /// The signer is governance.
    pub fn check_governance(&self, governance: &AccountView) -> ProgramResult {
        accounts::signer(governance)?;
        if governance.address() == &self.governance { Ok(()) } else { Err(Failure::NotGovernance.into()) }
    }

    /// The signer is the guardian.
    pub fn check_guardian(&self, guardian: &AccountView) -> ProgramResult {
        accounts::signer(guardian)?;
        if guardian.address() == &self.guardian { Ok(()) } else { Err(Failure::NotGuardian.into()) }
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
/// Leaves whose balances fit into one transaction of at most 255 accounts beside the other five.
const MOST_CLAIMS: u16 = 250;

/// What an employer may ask for; times in seconds.
pub struct Limits {
    pub max_recipients: u32,
    pub min_interval: u32,
    pub min_batch_timeout: u32,
    pub max_batch_timeout: u32,
    pub max_claims: u16,
}

impl Limits {
    /// Reads limits that make sense.
    pub fn read(reader: &mut Reader) -> Result<Self, Failure> {
        let limits = Limits {
            max_recipients: reader.u32()?,
            min_interval: reader.u32()?,
            min_batch_timeout: reader.u32()?,
            max_batch_timeout: reader.u32()?,
            max_claims: reader.u16()?,
        };
        if limits.max_recipients == 0
            || limits.max_recipients > Batch::MAX_RECIPIENTS
            || limits.min_interval == 0
            || limits.min_batch_timeout == 0
            || limits.min_batch_timeout > limits.max_batch_timeout
            || limits.max_claims == 0
            || limits.max_claims > MOST_CLAIMS
        {
            return Err(Failure::InvalidConfig);
        }
        Ok(limits)
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
