//! Base. Creates the pool of a mint. Anybody may, of a mint that gives nobody a power over its tokens, or that governance has listed: a pool
//! holds nothing until a window opens.

use crate::{
    prelude::*,
    sponsor,
    state::Listed,
    token::{self, Mint},
};

accounts! {
    #[selector(4)]
    pub struct Accounts {
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[seeds(subject = mint)] mint_entry: Derived<WhitelistEntry>,
        #[writable] pool: Derived<Pool>,
        mint: AccountView,
        pool_token: AccountView,
        token_program: AccountView,
        system_program: Known<SystemProgram>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { payer, config, mint_entry, pool, mint, pool_token, token_program, .. } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let Mint { decimals, has_powers } = Mint::of(&mint)?;
    let is_asked = config.asks_for_mint(has_powers.into());
    Listed { entry: &mint_entry, subject: mint.address(), is_asked, program_id }.check()?;
    accounts::is(&token_program, mint.owner())?;
    token::check_associated(&pool_token, pool.address(), &mint)?;

    let seeds = Pool::seeds(mint.address().as_ref());
    let mut pool = pool.create(&Creation { payer: &payer, program_id, seeds: &seeds, size: size_of::<Pool>() })?;
    pool.decimals = decimals;
    pool.has_powers = has_powers.into();
    pool.mint = *mint.address();
    pool.token_account = *pool_token.address();
    pool.token_program = *token_program.address();
    pool.covered_to = 1;
    (_, pool.sponsor_bump) = sponsor::find(&pool.mint, program_id)?;
    pool.validator = config.validator;
    events::PoolCreated { mint: pool.mint }.emit();
    Ok(())
}
