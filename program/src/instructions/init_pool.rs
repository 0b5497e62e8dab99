//! Base. Creates the pool of a mint. Anybody may: a pool holds nothing until a window opens.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    state::{Config, Header, Pool, load, store},
    token,
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [payer, config, pool, mint, pool_token, _system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(payer)?;
    load::<Config>(config, program_id)?;
    let decimals = token::mint_decimals(mint)?;
    let bump = accounts::derived(pool, &[Pool::SEED, mint.address().as_ref()], program_id)?;
    token::check_associated(pool_token, pool.address(), mint.address())?;

    let bump_seed = [bump];
    let seeds = [Seed::from(Pool::SEED), Seed::from(mint.address().as_ref()), Seed::from(&bump_seed)];
    accounts::Create { account: pool, size: size_of::<Pool>(), payer, program_id, seeds: &seeds }.invoke()?;
    store(
        pool,
        Pool {
            header: Header::new::<Pool>(bump),
            decimals,
            reserved_head: [0; 4],
            mint: *mint.address(),
            token_account: *pool_token.address(),
            token_program: token::TOKEN_PROGRAM,
            moved_in: 0,
            returned: 0,
            paid_out: 0,
            open: 0,
            highest_withdrawal: 0,
            withdrawals: 0,
            reserved: [0; 40],
        },
    )?;
    Ok(())
}
