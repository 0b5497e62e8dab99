//! Base. Creates the pool of a mint. Anybody may: a pool holds nothing until a window opens.

use crate::{prelude::*, state::Listed, token};

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

    let is_asked = config.flags & Config::MINTS_LISTED != 0;
    Listed { entry: &mint_entry, subject: mint.address(), is_asked, program_id }.check()?;
    let decimals = token::mint_decimals(&mint)?;
    accounts::is(&token_program, mint.owner())?;
    token::check_associated(&pool_token, pool.address(), &mint)?;

    let seeds = Pool::seeds(mint.address().as_ref());
    let mut pool = pool.create(&Creation { payer: &payer, program_id, seeds: &seeds, size: size_of::<Pool>() })?;
    pool.decimals = decimals;
    pool.mint = *mint.address();
    pool.token_account = *pool_token.address();
    pool.token_program = *token_program.address();
    pool.covered_to = 1;
    pool.validator = config.validator;
    events::PoolCreated { mint: pool.mint }.emit();
    Ok(())
}
