//! Base. Creates an employer's vault for a mint that has a pool.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    state::{Config, Header, Pool, Vault, load, store},
    token,
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, config, pool, vault, mint, vault_token, _system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(employer)?;
    accounts::signer(payer)?;
    load::<Config>(config, program_id)?;
    let pool = load::<Pool>(pool, program_id)?;
    if &pool.mint != mint.address() {
        return Err(Failure::InvalidMint.into());
    }
    let names: [&[u8]; 3] = [Vault::SEED, employer.address().as_ref(), mint.address().as_ref()];
    let bump = accounts::derived(vault, &names, program_id)?;
    token::check_associated(vault_token, vault.address(), mint.address())?;

    let bump_seed = [bump];
    let seeds = [Seed::from(names[0]), Seed::from(names[1]), Seed::from(names[2]), Seed::from(&bump_seed)];
    accounts::Create { account: vault, size: size_of::<Vault>(), payer, program_id, seeds: &seeds }.invoke()?;
    store(
        vault,
        Vault {
            header: Header::new::<Vault>(bump),
            decimals: pool.decimals,
            schedules: 0,
            employer: *employer.address(),
            mint: *mint.address(),
            token_account: *vault_token.address(),
            reserved: 0,
            open: 0,
            deposited: 0,
            withdrawn: 0,
            paid: 0,
            reserved_tail: [0; 48],
        },
    )?;
    Ok(())
}
