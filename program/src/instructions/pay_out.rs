//! Base, called by the delegation program as the handler of a base action: pays one withdrawal from the pool.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    layer::{DELEGATION_PROGRAM_ID, ESCROW_INDEX, ESCROW_SEED},
    numbers::Mark,
    state::{Config, Page, Pool, load, load_mut},
    token::{ASSOCIATED_TOKEN_PROGRAM, CreateAssociated, FromPool},
};
use pinocchio::{AccountView, Address, ProgramResult, error::ProgramError, sysvars::instructions::Instructions};

/// Whether the delegation program was called by the transaction itself, with this validator's signature. The delegation program
/// keeps the validator's account from a handler, so the handler looks at the instruction that called.
#[inline(always)]
fn is_sent_by(validator: &Address, instructions_sysvar: &AccountView) -> Result<bool, ProgramError> {
    let instructions = Instructions::try_from(instructions_sysvar)?;
    let calling = instructions.get_instruction_relative(0)?;
    let first = calling.get_instruction_account_at(0)?;
    Ok(calling.get_program_id() == &DELEGATION_PROGRAM_ID && first.is_signer() && &first.key == validator)
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [
        pool,
        pool_token,
        mint,
        wallet,
        wallet_token,
        page,
        config,
        instructions_sysvar,
        token_program,
        associated_token_program,
        system_program,
        source_program,
        escrow_authority,
        escrow,
    ] = accounts
    else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let number = reader.u64()?;
    let withdrawal = reader.u64()?;
    reader.end()?;

    let pool_view = *pool;
    let pool = load_mut::<Pool>(pool, program_id)?;
    // Only the delegation program can make this escrow sign.
    if !escrow.is_signer()
        || source_program.address() != program_id
        || escrow_authority.address() != pool_view.address()
        || accounts::derived(
            escrow,
            &[ESCROW_SEED, pool_view.address().as_ref(), &[ESCROW_INDEX]],
            &DELEGATION_PROGRAM_ID,
        )
        .is_err()
    {
        return Err(Failure::InvalidEscrow.into());
    }
    // It does so for any validator that is registered with it, so the one that is trusted with this pool must have signed.
    let config = load::<Config>(config, program_id)?;
    if !is_sent_by(&config.validator, instructions_sysvar)? {
        return Err(Failure::NotValidator.into());
    }
    config.check_not_lost()?;
    accounts::system_program(system_program)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &pool.mint)?;
    accounts::is(token_program, &pool.token_program)?;
    accounts::is(associated_token_program, &ASSOCIATED_TOKEN_PROGRAM)?;
    if number == 0 {
        return Err(Failure::InvalidData.into());
    }
    if withdrawal == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    // Tokens paid to the pool itself would be counted as gone without going.
    if wallet.address() == pool_view.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }
    if withdrawal > pool.held()? {
        return Err(Failure::PoolShortfall.into());
    }

    // A balance paid without the recorded tree's knowledge could be redeemed a second time.
    if number >= pool.covered_to {
        return Err(Failure::NotCovered.into());
    }

    Mark { page, payer: escrow, mint: &pool.mint, number, program_id }.invoke::<Page>()?;
    amount::add(&mut pool.paid_out, withdrawal)?;
    pool.withdrawals = pool.withdrawals.checked_add(1).ok_or(Failure::Overflow)?;
    pool.highest_withdrawal = pool.highest_withdrawal.max(number);

    CreateAssociated { payer: escrow, account: wallet_token, wallet, mint, system_program, token_program }
        .invoke_idempotent()?;
    FromPool {
        pool,
        authority: &pool_view,
        from: pool_token,
        to: wallet_token,
        mint,
        token_program,
        amount: withdrawal,
    }
    .invoke()?;
    Event::new(Kind::WithdrawalPaid).address(&pool.mint).u64(number).u64(withdrawal).emit();
    Ok(())
}
