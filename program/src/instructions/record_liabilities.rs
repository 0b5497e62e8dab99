//! Base. The execution authority records the root of everything that a pool owes, so that withdrawals numbered since can be paid.

use crate::{
    context::Context,
    data::Reader,
    liabilities::Liabilities,
    state::{Config, Pool, load, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, pool] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let liabilities = Liabilities::read(&mut reader)?;
    reader.end()?;

    let config = load::<Config>(config, program_id)?;
    config.check_authority(authority)?;
    config.check_not_lost()?;
    let pool = load_mut::<Pool>(pool, program_id)?;

    liabilities.record(pool, Clock::get()?.unix_timestamp)?;
    Ok(())
}
