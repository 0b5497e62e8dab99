//! Base. Creates the config, once. Only the program's upgrade authority may, so that nobody can be there first.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    state::{Batch, Config, Header, store},
};
use pinocchio::{Address, ProgramResult, cpi::Seed, error::ProgramError};
use solana_address::address;

const LOADER: Address = address!("BPFLoaderUpgradeab1e11111111111111111111111");
/// Leaves whose balances fit into one transaction of at most 255 accounts beside the other five.
const MAX_CLAIMS: u16 = 250;

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
    let [authority, config, program_data, _system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let governance = reader.address()?;
    let execution_authority = reader.address()?;
    let validator = reader.address()?;
    let max_recipients = reader.u32()?;
    let min_interval = reader.u32()?;
    let min_batch_timeout = reader.u32()?;
    let max_batch_timeout = reader.u32()?;
    let max_claims = reader.u16()?;
    let flags = reader.u8()?;
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
    if max_recipients == 0
        || max_recipients > Batch::MAX_RECIPIENTS
        || max_claims == 0
        || max_claims > MAX_CLAIMS
        || min_interval == 0
        || min_batch_timeout == 0
        || min_batch_timeout > max_batch_timeout
        || flags != 0
    {
        return Err(Failure::InvalidConfig.into());
    }

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
            max_recipients,
            governance,
            pending_governance: Address::default(),
            execution_authority,
            validator,
            min_interval,
            min_batch_timeout,
            max_batch_timeout,
            max_claims,
            reserved: [0; 106],
        },
    )?;
    Ok(())
}
