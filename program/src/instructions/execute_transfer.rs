//! Execution layer. The execution authority makes a private transfer that a recipient asked for: the amount moves from their balance to that
//! of the payment code. Where this is, is its word, as in a claim; whose it is, is not.

use crate::{amount, prelude::*, state::NO_OWNER};

accounts! {
    #[selector(81)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] personal: Account<Personal>,
        #[writable] page: Account<BalancePage>,
        /// May be the same page.
        #[writable] destination: Account<BalancePage>,
        #[writable] counter: Account<Counter>,
    }
}

data! {
    pub struct Data {
        /// The transfer's number among what leaves the balance.
        id: u32,
        /// Place of the paid balance in its page. A free one becomes the payment code's.
        slot: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut personal, mut page, mut destination, mut counter } =
        Accounts::parse(accounts, program_id)?;
    let Data { id, slot } = Data::parse(data)?;

    config.check_authority(&authority)?;
    accounts::is(&page.view, &personal.page)?;
    if destination.mint != personal.mint || counter.mint != personal.mint {
        return Err(Failure::InvalidAccount.into());
    }
    let transfer = personal.withdrawal(id)?;
    if transfer.to_code == 0 {
        return Err(Failure::WrongWay.into());
    }
    let (moved, code) = (transfer.amount, transfer.wallet);

    amount::sub(&mut page.slot_of(personal.slot, &personal.owner)?.amount, moved)?;
    personal.end(id)?;
    let paid = destination.slot(slot).ok_or(Failure::InvalidAccount)?;
    if paid.owner == NO_OWNER {
        paid.owner = *code.as_array();
    } else if &paid.owner != code.as_array() {
        return Err(Failure::NotOwner.into());
    }
    amount::add(&mut paid.amount, moved)?;
    counter.transfers = counter.transfers.wrapping_add(1);
    events::TransferMade {}.emit();
    Ok(())
}
