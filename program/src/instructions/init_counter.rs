//! Base. Creates a mint's counter of withdrawals and delegates it to the execution layer for good. Anybody may.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    events::{Event, Kind},
    layer::{self, Delegate},
    state::{Config, Counter, Header, Pool, load, store},
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [payer, config, pool, counter, buffer, record, metadata, delegation_program, owner_program, system_program] =
        accounts
    else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    layer::check_delegation_program(delegation_program)?;
    let validator = load::<Config>(config, program_id)?.validator;
    let mint = load::<Pool>(pool, program_id)?.mint;
    accounts::is(owner_program, program_id)?;
    let bump = accounts::derived(counter, &[Counter::SEED, mint.as_ref()], program_id)?;

    let bump_seed = [bump];
    let seeds = [Seed::from(Counter::SEED), Seed::from(mint.as_ref()), Seed::from(&bump_seed)];
    accounts::Create { account: counter, size: size_of::<Counter>(), payer, program_id, seeds: &seeds }.invoke()?;
    store(
        counter,
        Counter {
            header: Header::new::<Counter>(bump),
            reserved_head: [0; 5],
            mint,
            next: 1,
            requested: 0,
            reserved: [0; 8],
        },
    )?;
    Delegate {
        validator,
        seeds: &[Counter::SEED, mint.as_ref()],
        bump,
        accounts: [*payer, *counter, *owner_program, *buffer, *record, *metadata, *system_program],
    }
    .invoke()?;
    Event::new(Kind::CounterCreated).address(&mint).emit();
    Ok(())
}
