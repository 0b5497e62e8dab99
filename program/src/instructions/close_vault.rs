//! Base. The employer closes a vault without schedules: what it holds goes out, its token account is closed. The vault's own account
//! stays, with its lifetime counters and the next schedule's id, so that no schedule's address is ever used twice.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Vault, load_mut},
    token::{self, Close, Transfer},
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, vault_token, destination_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    let vault_view = *vault;
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    accounts::is(vault_token, &vault.token_account)?;
    accounts::is(mint, &vault.mint)?;
    if destination_token.address() == vault_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }
    // Else whoever has the employer's key alone would go round the approver by closing.
    if vault.approval != 0 {
        return Err(Failure::ApprovalPolicyStands.into());
    }
    if vault.schedules != 0 || vault.reserved != 0 || vault.open != 0 {
        return Err(Failure::VaultNotEmpty.into());
    }

    let available = vault.available()?;
    amount::add(&mut vault.withdrawn, available)?;
    vault.closed = 1;
    let bump = [vault.header.bump];
    let seeds = [
        Seed::from(Vault::SEED),
        Seed::from(vault.employer.as_ref()),
        Seed::from(vault.mint.as_ref()),
        Seed::from(&bump),
    ];
    // Tokens that somebody sent without a deposit would keep the account from being closed.
    let held = token::amount_of(vault_token)?;
    if held < available {
        return Err(Failure::InsufficientAvailable.into());
    }
    if held > 0 {
        Transfer {
            from: vault_token,
            to: destination_token,
            mint,
            authority: &vault_view,
            token_program,
            amount: held,
            decimals: vault.decimals,
        }
        .invoke(&[(&seeds).into()])?;
    }
    Close { account: vault_token, receiver: employer, authority: &vault_view, mint, token_program }
        .invoke(&[(&seeds).into()])?;
    Event::new(Kind::VaultClosed).address(vault_view.address()).u64(held).emit();
    Ok(())
}
