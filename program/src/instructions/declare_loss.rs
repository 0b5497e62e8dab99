//! Base. Governance and guardian together declare the execution layer lost: openings stop now, redemption begins after the grace time.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [governance, guardian, config] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    let config = load_mut::<Config>(config, program_id)?;
    config.check_governance(governance)?;
    config.check_guardian(guardian)?;
    // Declared again, the grace time would begin anew.
    if config.loss_declared_at != 0 {
        return Err(Failure::LayerLost.into());
    }

    config.loss_declared_at = Clock::get()?.unix_timestamp;
    Event::new(Kind::LossDeclared).i64(config.loss_final_at()).emit();
    Ok(())
}
