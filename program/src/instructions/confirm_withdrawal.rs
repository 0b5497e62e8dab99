//! Execution layer. Clears a withdrawal that the base ledger has paid, or issues it again. Anybody may: the base's page decides.

use crate::{
    accounts, bitmap,
    context::Context,
    data::Reader,
    errors::Failure,
    layer::{self, PayOut},
    state::{Balance, Config, Page, Pool, load, load_mut},
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

/// Seconds after which a withdrawal that the base hasn't shown is issued again. It keeps its number, so the base pays it once
/// even if both arrive.
const REISSUE_AFTER: i64 = 30;

/// Whether the base's page shows the number as paid. A page that doesn't exist yet shows nothing.
fn is_paid(page: &AccountView, balance: &Balance, program_id: &Address) -> Result<bool, Failure> {
    let number = Page::of(balance.pending_number).ok_or(Failure::Overflow)?;
    accounts::derived(page, &[Page::SEED, balance.mint.as_ref(), &number.to_le_bytes()], program_id)?;
    if !page.owned_by(program_id) {
        return Ok(false);
    }
    load::<Page>(page, program_id)?;
    // SAFETY: nothing in this instruction writes the page.
    let numbers = unsafe { page.borrow_unchecked() }.get(size_of::<Page>()..).ok_or(Failure::InvalidAccount)?;
    Ok(bitmap::is_set(numbers, (balance.pending_number % Page::NUMBERS) as usize))
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [payer, config, balance, pool, page, magic_program, magic_context] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    Reader::new(data).end()?;

    accounts::signer(payer)?;
    layer::check_magic_program(magic_program)?;
    layer::check_magic_context(magic_context)?;
    load::<Config>(config, program_id)?;
    let balance = load_mut::<Balance>(balance, program_id)?;
    let pool_state = load::<Pool>(pool, program_id)?;
    if pool_state.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if balance.pending_number == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }

    if is_paid(page, balance, program_id)? {
        balance.pending_number = 0;
        balance.pending_amount = 0;
        balance.pending_wallet = Address::default();
        balance.pending_since = 0;
        return Ok(());
    }
    let now = Clock::get()?.unix_timestamp;
    if now < balance.pending_since.checked_add(REISSUE_AFTER).ok_or(Failure::Overflow)? {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    balance.pending_since = now;
    let (wallet, number, amount) = (balance.pending_wallet, balance.pending_number, balance.pending_amount);
    PayOut {
        program_id,
        payer,
        pool,
        config: config.address(),
        pool_state,
        magic_context,
        wallet: &wallet,
        number,
        amount,
    }
    .schedule()
}
