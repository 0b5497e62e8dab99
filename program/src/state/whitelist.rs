use super::{Header, State, load};
use crate::{accounts, errors::Failure};
use pinocchio::{AccountView, Address};

/// Whether an employer or a mint is welcome, where the config asks for it. PDA `["whitelist", subject]`.
#[repr(C)]
pub struct WhitelistEntry {
    pub header: Header,
    pub allowed: u8,
    pub reserved_head: [u8; 4],
    pub subject: Address,
    /// Unix seconds.
    pub set_at: i64,
    pub reserved: [u8; 48],
}

const _: () = assert!(size_of::<WhitelistEntry>() == 96);

// SAFETY: repr(C), starts with the header, integers and bytes only; the assertion excludes padding.
unsafe impl State for WhitelistEntry {
    const KIND: u8 = 9;
}

impl WhitelistEntry {
    pub const SEED: &'static [u8] = b"whitelist";
}

/// Whether a subject is welcome: one struct, because the machine passes five arguments at most.
pub struct Listed<'a> {
    /// The entry at its derived address, whether it exists or not.
    pub entry: &'a AccountView,
    pub subject: &'a Address,
    /// Whether the config asks for it.
    pub is_asked: bool,
    pub program_id: &'a Address,
}

impl Listed<'_> {
    #[inline(never)]
    pub fn check(&self) -> Result<(), Failure> {
        accounts::derived(self.entry, &[WhitelistEntry::SEED, self.subject.as_ref()], self.program_id)?;
        if !self.is_asked {
            return Ok(());
        }
        match load::<WhitelistEntry>(self.entry, self.program_id) {
            Ok(entry) if entry.allowed == 1 => Ok(()),
            _ => Err(Failure::NotWhitelisted),
        }
    }
}
