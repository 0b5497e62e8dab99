use super::{Code, Header, State};
use pinocchio::{Address, cpi::Seed};

/// What a key may ask coordinators for an employer. Neither moves anything on the ledger.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum RoleKind {
    /// No role: it is taken back.
    None = 0,
    /// Reads what the employer may read.
    #[allow(dead_code, reason = "only employers name it")]
    Viewer = 1,
    /// A viewer who also lets others read, and sets webhooks.
    Clerk = 2,
}

layout! {
    /// A key's role with an employer, while it has one: one account a key, so that each is given and taken alone.
    #[account(kind = 15, size = 96)]
    #[seeds(b"role", employer: Address, holder: Address)]
    pub struct Role {
        pub header: Header,
        pub given: Code<RoleKind>,
        pub reserved_head: [u8; 4],
        pub employer: Address,
        pub holder: Address,
        /// When it was given, unix seconds.
        pub since: i64,
        pub reserved: [u8; 16],
    }
}
