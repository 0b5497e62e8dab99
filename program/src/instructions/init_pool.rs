//! Base. Creates the pool of a mint. Anybody may: a pool holds nothing until a window opens.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    events::{Event, Kind},
    state::{Config, Header, Listed, Pool, load, store},
    token,
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [payer, config, mint_entry, pool, mint, pool_token, token_program, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    let is_asked = load::<Config>(config, program_id)?.flags & Config::MINTS_LISTED != 0;
    Listed { entry: mint_entry, subject: mint.address(), is_asked, program_id }.check()?;
    let decimals = token::mint_decimals(mint)?;
    accounts::is(token_program, mint.owner())?;
    let bump = accounts::derived(pool, &[Pool::SEED, mint.address().as_ref()], program_id)?;
    token::check_associated(pool_token, pool.address(), mint)?;

    let bump_seed = [bump];
    let seeds = [Seed::from(Pool::SEED), Seed::from(mint.address().as_ref()), Seed::from(&bump_seed)];
    accounts::Create { account: pool, size: size_of::<Pool>(), payer, program_id, seeds: &seeds }.invoke()?;
    store(
        pool,
        Pool {
            header: Header::new::<Pool>(bump),
            decimals,
            liability_leaves: 0,
            mint: *mint.address(),
            token_account: *pool_token.address(),
            token_program: *token_program.address(),
            moved_in: 0,
            returned: 0,
            paid_out: 0,
            open: 0,
            highest_withdrawal: 0,
            withdrawals: 0,
            liabilities_root: [0; 32],
            liabilities_total: 0,
            covered_to: 1,
            sequence: 0,
            recorded_at: 0,
            redeemed: 0,
            recorded_in: 0,
            reserved: [0; 24],
        },
    )?;
    Event::new(Kind::PoolCreated).address(mint.address()).emit();
    Ok(())
}
