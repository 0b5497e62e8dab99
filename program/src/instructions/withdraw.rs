//! Base. The employer takes tokens out of their vault, as far as none are promised.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Vault, load_mut},
    token::Transfer,
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, vault_token, destination_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let withdrawal = reader.u64()?;
    reader.end()?;

    let vault_view = *vault;
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(mint, &vault.mint)?;
    if withdrawal == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    if withdrawal > vault.available()? {
        return Err(Failure::InsufficientAvailable.into());
    }
    // Tokens sent to where they came from would be counted as gone without going.
    if destination_token.address() == vault_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }

    amount::add(&mut vault.withdrawn, withdrawal)?;
    let bump = [vault.header.bump];
    let seeds = [
        Seed::from(Vault::SEED),
        Seed::from(vault.employer.as_ref()),
        Seed::from(vault.mint.as_ref()),
        Seed::from(&bump),
    ];
    Transfer {
        from: vault_token,
        to: destination_token,
        mint,
        authority: &vault_view,
        token_program,
        amount: withdrawal,
        decimals: vault.decimals,
    }
    .invoke(&[(&seeds).into()])?;
    Event::new(Kind::Withdrawn).address(vault_view.address()).u64(withdrawal).emit();
    Ok(())
}
