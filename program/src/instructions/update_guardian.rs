//! Base. Changes the second key and the grace time of a declared loss. Both keys sign, else one alone could become the two.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, check_guardian_terms, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [governance, guardian, config] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let new_guardian = reader.address()?;
    let loss_grace = reader.u32()?;
    reader.end()?;

    let config = load_mut::<Config>(config, program_id)?;
    config.check_governance(governance)?;
    config.check_guardian(guardian)?;
    check_guardian_terms(&config.governance, &new_guardian, loss_grace)?;
    // A grace time that already runs is not made shorter.
    if config.loss_declared_at != 0 {
        return Err(Failure::LayerLost.into());
    }

    config.guardian = new_guardian;
    config.loss_grace = loss_grace;
    Event::new(Kind::GuardianUpdated).address(&config.guardian).emit();
    Ok(())
}
