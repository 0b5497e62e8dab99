//! Base. Creates the config, once. Only the program's upgrade authority may, so that nobody can be there first.

use crate::{
    prelude::*,
    state::{Limits, check_flags, check_guardian_terms, check_keys},
};
use solana_address::address;

const LOADER: Address = address!("BPFLoaderUpgradeab1e11111111111111111111111");

accounts! {
    #[selector(0)]
    pub struct Accounts {
        #[signer] #[writable] upgrade_authority: AccountView,
        #[writable] config: Derived<Config>,
        program_data: AccountView,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        governance: Address,
        guardian: Address,
        execution_authority: Address,
        validator: Address,
        limits: Limits,
        /// Bit 0: employers need the whitelist; bit 1: mints need it.
        flags: u8,
        /// Seconds.
        loss_grace: u32,
    }
}

/// Upgrade authority in a program data account: u32 kind 3, slot u64, option u8, address.
fn authority_in(program_data: &[u8]) -> Option<&[u8]> {
    match (program_data.get(..4)?, program_data.get(12)?) {
        ([3, 0, 0, 0], 1) => program_data.get(13..45),
        _ => None,
    }
}

fn check_upgrade_authority(
    upgrade_authority: &AccountView,
    program_data: &AccountView,
    program_id: &Address,
) -> Result<(), Failure> {
    accounts::derived(program_data, &[program_id.as_ref()], &LOADER)?;
    // SAFETY: nothing else in this instruction borrows the account.
    let named = authority_in(unsafe { program_data.borrow_unchecked() });
    if !program_data.owned_by(&LOADER) || named != Some(upgrade_authority.address().as_ref()) {
        return Err(Failure::NotUpgradeAuthority);
    }
    Ok(())
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { upgrade_authority, config, program_data, .. } = Accounts::parse(accounts, program_id)?;
    let Data { governance, guardian, execution_authority, validator, limits, flags, loss_grace } = Data::parse(data)?;

    limits.check()?;
    check_upgrade_authority(&upgrade_authority, &program_data, program_id)?;
    check_flags(flags)?;
    check_keys(&[&execution_authority, &validator])?;
    check_guardian_terms(&governance, &guardian, loss_grace)?;

    let (payer, seeds, size) = (&upgrade_authority, Config::seeds(), size_of::<Config>());
    let mut config = config.create(&Creation { payer, program_id, seeds: &seeds, size })?;
    config.governance = governance;
    config.guardian = guardian;
    config.execution_authority = execution_authority;
    config.validator = validator;
    config.set_limits(&limits);
    config.flags = flags;
    config.loss_grace = loss_grace;
    events::ConfigCreated {}.emit();
    Ok(())
}
