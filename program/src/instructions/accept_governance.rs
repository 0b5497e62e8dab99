//! Base. The key that governance named takes over; naming a wrong key therefore changes nothing.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, load_mut},
};
use pinocchio::{Address, ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [pending, config] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(pending)?;
    let config = load_mut::<Config>(config, program_id)?;
    if config.pending_governance == Address::default()
        || pending.address() != &config.pending_governance
        || config.pending_governance == config.guardian
    {
        return Err(Failure::NotGovernance.into());
    }

    config.governance = config.pending_governance;
    config.pending_governance = Address::default();
    Event::new(Kind::GovernanceAccepted).address(&config.governance).emit();
    Ok(())
}
