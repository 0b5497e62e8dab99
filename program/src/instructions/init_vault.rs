//! Base. Creates an employer's vault for a mint that has a pool, or opens a closed one again.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, Header, Listed, Pool, Vault, load, load_mut, store},
    token,
};
use pinocchio::{AccountView, Address, ProgramResult, cpi::Seed, error::ProgramError};

/// A closed vault goes on with its counters.
fn reopen(account: &mut AccountView, program_id: &Address) -> ProgramResult {
    let address = *account.address();
    let vault = load_mut::<Vault>(account, program_id)?;
    if vault.closed == 0 {
        return Err(ProgramError::AccountAlreadyInitialized);
    }
    vault.closed = 0;
    Event::new(Kind::VaultOpened).address(&address).emit();
    Ok(())
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, config, employer_entry, mint_entry, pool, vault, mint, vault_token, system_program] =
        accounts
    else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(employer)?;
    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    let flags = load::<Config>(config, program_id)?.flags;
    let is_asked = flags & Config::EMPLOYERS_LISTED != 0;
    Listed { entry: employer_entry, subject: employer.address(), is_asked, program_id }.check()?;
    let is_asked = flags & Config::MINTS_LISTED != 0;
    Listed { entry: mint_entry, subject: mint.address(), is_asked, program_id }.check()?;
    let pool = load::<Pool>(pool, program_id)?;
    if &pool.mint != mint.address() {
        return Err(Failure::InvalidMint.into());
    }
    let names: [&[u8]; 3] = [Vault::SEED, employer.address().as_ref(), mint.address().as_ref()];
    let bump = accounts::derived(vault, &names, program_id)?;
    token::check_associated(vault_token, vault.address(), mint)?;

    if vault.owned_by(program_id) {
        return reopen(vault, program_id);
    }
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
            next_id: 0,
            closed: 0,
            approval: 0,
            reserved_policy: [0; 6],
            approval_limit: 0,
            reserved_tail: [0; 24],
        },
    )?;
    Event::new(Kind::VaultOpened).address(vault.address()).emit();
    Ok(())
}
