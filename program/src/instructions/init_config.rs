//! Base. Creates the config, once. Only the program's upgrade authority may, so that nobody can be there first.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, Header, Limits, check_flags, check_guardian_terms, check_keys, store},
};
use pinocchio::{Address, ProgramResult, cpi::Seed, error::ProgramError};
use solana_address::address;

const LOADER: Address = address!("BPFLoaderUpgradeab1e11111111111111111111111");

/// Upgrade authority in a program data account: u32 kind 3, slot u64, option u8, address.
fn upgrade_authority(program_data: &[u8]) -> Option<&[u8]> {
    match (program_data.get(..4)?, program_data.get(12)?) {
        ([3, 0, 0, 0], 1) => program_data.get(13..45),
        _ => None,
    }
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, program_data, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let governance = reader.address()?;
    let guardian = reader.address()?;
    let execution_authority = reader.address()?;
    let validator = reader.address()?;
    let limits = Limits::read(&mut reader)?;
    let flags = reader.u8()?;
    let loss_grace = reader.u32()?;
    reader.end()?;

    accounts::signer(authority)?;
    accounts::derived(program_data, &[program_id.as_ref()], &LOADER)?;
    // SAFETY: nothing else in this instruction borrows the account.
    let named = if program_data.owned_by(&LOADER) {
        upgrade_authority(unsafe { program_data.borrow_unchecked() })
    } else {
        None
    };
    if named != Some(authority.address().as_ref()) {
        return Err(Failure::NotUpgradeAuthority.into());
    }
    accounts::system_program(system_program)?;
    check_flags(flags)?;
    check_keys(&[&execution_authority, &validator])?;
    check_guardian_terms(&governance, &guardian, loss_grace)?;

    let bump = accounts::derived(config, &[Config::SEED], program_id)?;
    let bump_seed = [bump];
    let seeds = [Seed::from(Config::SEED), Seed::from(&bump_seed)];
    accounts::Create { account: config, size: size_of::<Config>(), payer: authority, program_id, seeds: &seeds }
        .invoke()?;
    store(
        config,
        Config {
            header: Header::new::<Config>(bump),
            flags,
            max_recipients: limits.max_recipients,
            governance,
            pending_governance: Address::default(),
            execution_authority,
            validator,
            min_interval: limits.min_interval,
            min_batch_timeout: limits.min_batch_timeout,
            max_batch_timeout: limits.max_batch_timeout,
            max_claims: limits.max_claims,
            reserved_claims: [0; 2],
            guardian,
            loss_grace,
            reserved_grace: 0,
            loss_declared_at: 0,
            reserved: [0; 56],
        },
    )?;
    Event::new(Kind::ConfigCreated).emit();
    Ok(())
}
