use super::{Header, State};
use crate::{
    accounts,
    context::{Account, Derived},
    errors::Failure,
};
use pinocchio::{Address, cpi::Seed};

layout! {
    /// Whether an employer or a mint is welcome, where the config asks for it.
    #[account(kind = 9, size = 96)]
    #[seeds(b"whitelist", subject: Address)]
    pub struct WhitelistEntry {
        pub header: Header,
        pub allowed: u8,
        pub reserved_head: [u8; 4],
        pub subject: Address,
        /// Unix seconds.
        pub set_at: i64,
        pub reserved: [u8; 48],
    }
}

/// Whether a subject is welcome: one struct, because the machine passes five arguments at most.
pub struct Listed<'a> {
    /// The entry at its derived address, whether it exists or not.
    pub entry: &'a Derived<WhitelistEntry>,
    pub subject: &'a Address,
    /// Whether the config asks for it.
    pub is_asked: bool,
    pub program_id: &'a Address,
}

impl Listed<'_> {
    #[inline(never)]
    pub fn check(&self) -> Result<(), Failure> {
        accounts::derived(self.entry, &WhitelistEntry::seeds(self.subject.as_ref()), self.program_id)?;
        if !self.is_asked {
            return Ok(());
        }
        match Account::<WhitelistEntry>::of(self.entry, self.program_id) {
            Ok(entry) if entry.allowed == 1 => Ok(()),
            _ => Err(Failure::NotWhitelisted),
        }
    }
}
