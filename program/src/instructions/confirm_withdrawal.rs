//! Execution layer. Clears a withdrawal that the base ledger has paid, or issues it to the base: again, if the last issue came to nothing.

use crate::{layer::PayOut, numbers::is_paid, prelude::*};

/// Seconds after which a withdrawal that the base hasn't shown is issued again. It keeps its number, so the base pays it once
/// even if both arrive.
const REISSUE_AFTER: i64 = 30;

accounts! {
    #[selector(35)]
    pub struct Accounts {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] balance: Account<Balance>,
        pool: Account<Pool>,
        page: Derived<Page>,
        magic_program: Known<MagicProgram>,
        #[writable] magic_context: Known<MagicContext>,
    }
}

data! {
    pub struct Data<'a> {
        proven: WithdrawalProof<'a>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut balance, pool, page, magic_context, .. } =
        Accounts::parse(accounts, program_id)?;
    let Data { proven } = Data::parse(data)?;

    config.check_authority(&authority)?;
    if pool.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if balance.is_waiting() {
        return Err(Failure::WithdrawalNotReleased.into());
    }
    let Balance { pending_number: number, pending_amount: amount, pending_wallet: wallet, .. } = *balance;
    if number == 0 {
        return Err(Failure::NoWithdrawalPending.into());
    }

    if is_paid(&page, &balance.mint, number, program_id)? {
        balance.end_withdrawal();
        events::WithdrawalConfirmed { number }.emit();
        return Ok(());
    }
    let now = now()?;
    if now < balance.due_at {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    // What the recorded tree does not have, the base would refuse.
    let withdrawal = Withdrawal { number, amount, wallet: &wallet };
    withdrawal.check_recorded(&pool, &proven)?;
    balance.due_at = now.checked_add(REISSUE_AFTER).ok_or(Failure::Overflow)?;
    events::WithdrawalIssued { number }.emit();
    PayOut {
        program_id,
        payer: &authority,
        pool: &pool,
        config: config.address(),
        magic_context: &magic_context,
        withdrawal: &withdrawal,
        proven: &proven,
    }
    .schedule()
}
