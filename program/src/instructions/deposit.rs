//! Base. Moves tokens into a vault. Anybody may fund any vault.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Vault, load_mut},
    token::Transfer,
};
use pinocchio::{ProgramResult, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [depositor, source_token, vault, vault_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let deposit = reader.u64()?;
    reader.end()?;

    accounts::signer(depositor)?;
    let vault_address = *vault.address();
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_open()?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(mint, &vault.mint)?;
    if deposit == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    // A vault's own tokens sent to itself would be counted without arriving.
    if source_token.address() == vault_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }

    amount::add(&mut vault.deposited, deposit)?;
    Transfer {
        from: source_token,
        to: vault_token,
        mint,
        authority: depositor,
        token_program,
        amount: deposit,
        decimals: vault.decimals,
    }
    .invoke(&[])?;
    Event::new(Kind::Deposited).address(&vault_address).u64(deposit).emit();
    Ok(())
}
