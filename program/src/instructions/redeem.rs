//! Base, once the execution layer is lost. A recipient takes the balance that the recorded tree shows, from the pool, once.

use crate::{
    accounts, amount,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    hash,
    liabilities::Proof,
    numbers::{Mark, is_paid},
    state::{Config, Pool, RedeemedPage, load, load_mut},
    token::FromPool,
};
use pinocchio::{ProgramResult, error::ProgramError};

/// amount u64 ‖ pending_number u64 ‖ pending_amount u64 ‖ blind 16, as the leaf hashes them
const TERMS: usize = 40;

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [
        recipient,
        payer,
        config,
        pool,
        pool_token,
        destination_token,
        mint,
        token_program,
        redeemed,
        page,
        system_program,
    ] = accounts
    else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let index = reader.u32()?;
    let terms = reader.array::<TERMS>()?;
    let hashes = reader.hashes()?;
    reader.end()?;
    let mut reader = Reader::new(terms);
    let balance = reader.u64()?;
    let pending_number = reader.u64()?;
    let pending_amount = reader.u64()?;

    accounts::signer(recipient)?;
    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    load::<Config>(config, program_id)?.check_lost()?;
    let pool_view = *pool;
    let pool = load_mut::<Pool>(pool, program_id)?;
    accounts::is(pool_token, &pool.token_account)?;
    accounts::is(mint, &pool.mint)?;
    // Tokens paid to the pool itself would be counted as gone without going.
    if destination_token.address() == pool_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }
    Proof { index, hashes }.check(pool, hash::liability_balance(index, recipient.address().as_ref(), terms))?;

    let mut due = balance;
    // A withdrawal that the base has paid left the pool already.
    if pending_number != 0 && !is_paid(page, &pool.mint, pending_number, program_id)? {
        amount::add(&mut due, pending_amount)?;
    }
    if due == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    if due > pool.held()? {
        return Err(Failure::PoolShortfall.into());
    }
    Mark { page: redeemed, payer, mint: &pool.mint, number: u64::from(index), program_id }.invoke::<RedeemedPage>()?;
    amount::add(&mut pool.paid_out, due)?;
    amount::add(&mut pool.redeemed, due)?;

    FromPool { pool, authority: &pool_view, from: pool_token, to: destination_token, mint, token_program, amount: due }
        .invoke()?;
    Event::new(Kind::BalanceRedeemed).address(&pool.mint).u32(index).u64(due).emit();
    Ok(())
}
