//! Base. The employer takes tokens out of their vault above its limit: the approver signs too. Else whoever has the employer's key alone
//! would cancel schedules and take the money instead of changing a list.

use super::withdraw::Withdrawal;
use crate::{
    context::Context,
    data::Reader,
    state::{Approval, load},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, approver, approval, vault, vault_token, destination_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let amount = reader.u64()?;
    reader.end()?;

    load::<Approval>(approval, program_id)?.check_approver(vault.address(), approver)?;
    Withdrawal { employer, vault, vault_token, destination_token, mint, token_program, amount, program_id }.invoke()
}
