//! Execution layer. Closes the read permission of an open window's batch, in the transaction that sends the batch back.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    layer,
    permission::{self, Permissions},
    state::{Batch, BatchPhase, Config, load, load_mut},
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, batch, permission, permission_program, vault, magic_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    load::<Config>(config, program_id)?.check_authority(authority)?;
    permission::check_program(permission_program)?;
    layer::check_ephemeral_vault(vault)?;
    layer::check_magic_program(magic_program)?;
    let batch_view = *batch;
    let batch = load_mut::<Batch>(batch, program_id)?;
    if batch.phase != BatchPhase::Open as u8 {
        return Err(Failure::BatchNotOpen.into());
    }
    let bump = [batch.header.bump];
    let batch_seeds = [Seed::from(Batch::SEED), Seed::from(batch.schedule.as_ref()), Seed::from(&bump)];
    Permissions { authority, batch: &batch_view, batch_seeds: &batch_seeds, permission_program, vault, magic_program }
        .close_own(permission)
}
