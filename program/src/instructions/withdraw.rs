//! Base. The employer takes tokens out of their vault, as far as none are promised. Above the vault's limit the approver signs too:
//! `withdraw_approved`.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Vault, load_mut},
    token::Transfer,
};
use pinocchio::{AccountView, Address, ProgramResult, cpi::Seed, error::ProgramError};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, vault, vault_token, destination_token, mint, token_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let amount = reader.u64()?;
    reader.end()?;

    if load_mut::<Vault>(vault, program_id)?.needs_approval(amount) {
        return Err(Failure::ApprovalRequired.into());
    }
    Withdrawal { employer, vault, vault_token, destination_token, mint, token_program, amount, program_id }.invoke()
}

/// Tokens that leave a vault: one struct, because the machine passes five arguments at most.
pub struct Withdrawal<'a> {
    pub employer: &'a AccountView,
    pub vault: &'a mut AccountView,
    pub vault_token: &'a AccountView,
    pub destination_token: &'a AccountView,
    pub mint: &'a AccountView,
    pub token_program: &'a AccountView,
    /// Base units.
    pub amount: u64,
    pub program_id: &'a Address,
}

impl Withdrawal<'_> {
    /// Checks everything but the approver, and transfers.
    #[inline(never)]
    pub fn invoke(self) -> ProgramResult {
        let Withdrawal { employer, vault, vault_token, destination_token, mint, token_program, amount, program_id } =
            self;
        let vault_view = *vault;
        let vault = load_mut::<Vault>(vault, program_id)?;
        vault.check_employer(employer)?;
        accounts::is(vault_token, &vault.token_account)?;
        accounts::is(mint, &vault.mint)?;
        if amount == 0 {
            return Err(Failure::ZeroAmount.into());
        }
        if amount > vault.available()? {
            return Err(Failure::InsufficientAvailable.into());
        }
        // Tokens sent to where they came from would be counted as gone without going.
        if destination_token.address() == vault_token.address() {
            return Err(Failure::InvalidTokenAccount.into());
        }

        amount::add(&mut vault.withdrawn, amount)?;
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
            amount,
            decimals: vault.decimals,
        }
        .invoke(&[(&seeds).into()])?;
        Event::new(Kind::Withdrawn).address(vault_view.address()).u64(amount).emit();
        Ok(())
    }
}
