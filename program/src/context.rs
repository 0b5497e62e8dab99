use pinocchio::{AccountView, Address};

/// What an instruction is given: one struct, because the machine passes five arguments at most.
pub struct Context<'a> {
    pub program_id: &'a Address,
    pub accounts: &'a mut [AccountView],
    /// Data after the selector.
    pub data: &'a [u8],
}
