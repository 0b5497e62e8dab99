//! Execution layer. The execution authority starts the withdrawal that a balance itself asks for: one whose release time has come,
//! a standing order, or delivery to the recipient's own wallet.

use crate::{prelude::*, release::Range, state::Plan};

accounts! {
    #[selector(37)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] balance: Account<Balance>,
        #[writable] counter: Account<Counter>,
        pool: Account<Pool>,
    }
}

data! {
    pub struct Data {
        /// Unix seconds, drawn within the standing order's range; what is past: at once.
        #[default(0)]
        due_at: i64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut balance, mut counter, pool } = Accounts::parse(accounts, program_id)?;
    let Data { due_at: drawn } = Data::parse(data)?;

    config.check_authority(&authority)?;
    balance.check_token(&counter, &pool)?;
    if balance.pending_number != 0 {
        return Err(Failure::WithdrawalPending.into());
    }
    let now = now()?;
    if balance.is_waiting() {
        if now < balance.due_at {
            return Err(Failure::WithdrawalNotReleased.into());
        }
        Range::AT_ONCE.check(drawn, now)?;
        balance.release_withdrawal(&mut counter, &pool)?;
        return Ok(());
    }
    let (amount, wallet, range) = if balance.is_order_due() {
        let part = if balance.order_part == 0 { balance.amount } else { balance.order_part };
        (part, balance.order_wallet, Range::minutes(balance.order_delay_min, balance.order_delay_max))
    } else if balance.deliver != 0 {
        let delivery = core::mem::take(&mut balance.deliver);
        (delivery, balance.recipient, Range::AT_ONCE)
    } else {
        return Err(Failure::OrderNotDue.into());
    };

    let due_at = range.check(drawn, now)?;
    balance.withdraw(&mut counter, &pool, Plan { amount, wallet, due_at })?;
    Ok(())
}
