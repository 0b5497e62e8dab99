//! Execution layer. Clears a withdrawal that the base ledger has paid, or issues it to the base: again, if the last issue came to nothing.

use crate::{layer::PayOut, numbers::is_paid, prelude::*, state::Withdrawing};

/// Seconds after which a withdrawal that the base hasn't shown is issued again. It keeps its number, so the base pays it once
/// even if both arrive.
const REISSUE_AFTER: i64 = 30;

accounts! {
    #[selector(35)]
    pub struct Accounts {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] personal: Account<Personal>,
        pool: Account<Pool>,
        page: Derived<Page>,
        magic_program: Known<MagicProgram>,
        #[writable] magic_context: Known<MagicContext>,
    }
}

data! {
    pub struct Data<'a> {
        /// The withdrawal's number among the balance's own.
        id: u32,
        proven: WithdrawalProof<'a>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut personal, pool, page, magic_context, .. } =
        Accounts::parse(accounts, program_id)?;
    let Data { id, proven } = Data::parse(data)?;

    config.check_authority(&authority)?;
    let mint = personal.mint;
    if pool.mint != mint {
        return Err(Failure::InvalidAccount.into());
    }
    let under_way = personal.withdrawal(id)?;
    let Withdrawing { number, amount, wallet, due_at, .. } = *under_way;
    if number == 0 {
        return Err(Failure::WithdrawalNotReleased.into());
    }

    if is_paid(&page, &mint, number, program_id)? {
        personal.end(id)?;
        events::WithdrawalConfirmed { number }.emit();
        return Ok(());
    }
    let now = now()?;
    if now < due_at {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    // What the recorded tree does not have, the base would refuse.
    let withdrawal = Withdrawal { number, amount, wallet: &wallet };
    withdrawal.check_recorded(&pool, &proven)?;
    under_way.due_at = now.checked_add(REISSUE_AFTER).ok_or(Failure::Overflow)?;
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
