//! Execution layer. Closes a batch that is complete (all paid, or timed out), and sends it back to the base.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    hash, layer,
    state::{Batch, BatchPhase, Config, load, load_mut, tail_mut},
};
use ephemeral_rollups_pinocchio::instruction::commit_and_undelegate_accounts;
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, batch, magic_program, magic_context] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let window = reader.u64()?;
    reader.end()?;

    load::<Config>(config, program_id)?.check_authority(authority)?;
    layer::check_magic_program(magic_program)?;
    layer::check_magic_context(magic_context)?;
    let mut tail_view = *batch;
    let committed = *batch;
    let batch = load_mut::<Batch>(batch, program_id)?;
    if batch.phase != BatchPhase::Open as u8 {
        return Err(Failure::BatchNotOpen.into());
    }
    if batch.window != window {
        return Err(Failure::WrongWindow.into());
    }
    if !batch.is_complete() {
        let deadline = batch.opened_at.checked_add(i64::from(batch.batch_timeout)).ok_or(Failure::Overflow)?;
        if Clock::get()?.unix_timestamp < deadline {
            return Err(Failure::BatchNotComplete.into());
        }
    }

    // SAFETY: loaded as a batch above; the bitmap lies behind the fixed part, which `batch` refers to.
    let paid_bits = unsafe { tail_mut::<Batch>(&mut tail_view) };
    let used = paid_bits.get(..batch.recipients.div_ceil(8) as usize).ok_or(Failure::InvalidAccount)?;
    batch.bitmap_hash = hash::bitmap(batch.schedule.as_ref(), window, used);
    // A commit carries the difference to the base's bytes, which hold no bitmap: neither may what goes back.
    paid_bits.fill(0);
    batch.phase = BatchPhase::Closed as u8;
    Event::new(Kind::WindowCommitted)
        .address(&batch.schedule)
        .u64(window)
        .u32(batch.paid_count)
        .u64(batch.paid_amount)
        .emit();

    commit_and_undelegate_accounts(authority, &[committed], magic_context, magic_program, None, None)
}
