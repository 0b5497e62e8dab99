//! Base. Governance changes roles, limits and switches, and names who is to take over from it.

use crate::{
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, Limits, check_flags, check_keys, load_mut},
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [governance, config] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let pending_governance = reader.address()?;
    let execution_authority = reader.address()?;
    let validator = reader.address()?;
    let limits = Limits::read(&mut reader)?;
    let flags = reader.u8()?;
    reader.end()?;

    let config = load_mut::<Config>(config, program_id)?;
    config.check_governance(governance)?;
    check_flags(flags)?;
    check_keys(&[&execution_authority, &validator])?;
    // One key must never be both, whatever is handed over.
    if pending_governance == config.guardian {
        return Err(Failure::InvalidConfig.into());
    }

    config.pending_governance = pending_governance;
    config.execution_authority = execution_authority;
    config.validator = validator;
    config.set_limits(&limits);
    config.flags = flags;
    Event::new(Kind::ConfigUpdated).emit();
    Ok(())
}
