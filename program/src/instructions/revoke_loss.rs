//! Base. Takes a declared loss back while its grace time runs. Either key can: two are needed to end, one to keep.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [signer, config] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(signer)?;
    let config = load_mut::<Config>(config, program_id)?;
    if signer.address() != &config.governance && signer.address() != &config.guardian {
        return Err(Failure::NotGovernance.into());
    }
    if config.loss_declared_at == 0 {
        return Err(Failure::LayerNotLost.into());
    }
    config.check_not_lost()?;

    config.loss_declared_at = 0;
    Event::new(Kind::LossRevoked).emit();
    Ok(())
}
