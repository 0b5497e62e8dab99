//! Execution layer. The execution authority starts the withdrawal that a balance itself asks for: one whose release time or round
//! has come, a part that stands ready, a standing order, or delivery to the recipient's own wallet.

use crate::{
    prelude::*,
    release::{self, Range},
    state::{Plan, Source},
};

accounts! {
    #[selector(37)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] personal: Account<Personal>,
        #[writable] page: Account<BalancePage>,
        #[writable] counter: Account<Counter>,
        pool: Account<Pool>,
    }
}

data! {
    pub struct Data {
        /// The number among the balance's own of the withdrawal whose time, or round, has come, or of the part that stands ready; 0: what the
        /// order or the delivery takes.
        id: u32,
        /// Unix seconds, drawn within the standing order's range; what is past: at once.
        #[default(0)]
        due_at: i64,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut personal, mut page, mut counter, pool } =
        Accounts::parse(accounts, program_id)?;
    let Data { id, due_at: drawn } = Data::parse(data)?;

    config.check_authority(&authority)?;
    personal.check_token(&counter, &pool)?;
    accounts::is(&page.view, &personal.page)?;
    let slot = page.slot_of(personal.slot, &personal.owner)?;
    let available = personal.available(slot);
    let mut source = Source { slot, counter: &mut counter, pool: &pool };
    let now = now()?;
    if id != 0 {
        let withdrawal = personal.wallet_bound(id)?;
        if withdrawal.number != 0 {
            return Err(Failure::WithdrawalReleased.into());
        }
        if withdrawal.stands() {
            Range::AT_ONCE.check(drawn, now)?;
            let due_at = release::last_round(personal.parts_waiting())?;
            personal.begin(&source, id, due_at)?;
            return Ok(());
        }
        let leaves = withdrawal.in_round != 0 && release::is_round(now);
        if now < withdrawal.due_at && !leaves {
            return Err(Failure::WithdrawalNotReleased.into());
        }
        Range::AT_ONCE.check(drawn, now)?;
        personal.release(&mut source, id)?;
        return Ok(());
    }
    let (amount, wallet, range) = if personal.order_threshold != 0 && available >= personal.order_threshold {
        let part = if personal.order_part == 0 { available } else { personal.order_part };
        (part, personal.order_wallet, Range::minutes(personal.order_delay_min, personal.order_delay_max))
    } else if personal.delivery != 0 && available != 0 {
        personal.check_wallet(&personal.recipient, program_id)?;
        (available, personal.recipient, Range::AT_ONCE)
    } else {
        return Err(Failure::OrderNotDue.into());
    };

    let due_at = range.check(drawn, now)?;
    personal.withdraw(&mut source, Plan { amount, wallet, due_at, in_round: false })?;
    Ok(())
}
