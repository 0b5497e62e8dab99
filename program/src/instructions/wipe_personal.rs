//! Execution layer. Wipes an account in which nothing is left, and lets its balance have another one. Whoever reads an account and then asks who
//! may read it finds that only as long as the read permission is there, so that one is closed later, when nobody can have read anything.

use crate::{prelude::*, state::check_unread};

accounts! {
    #[selector(77)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] page: Account<BalancePage>,
        #[writable] personal: Account<Personal>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut page, mut personal } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_authority(&authority)?;
    accounts::is(&page.view, &personal.page)?;
    if !personal.is_idle() {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    let now = now()?;
    // So that a balance has two or three accounts at most which the token's counter pays for, however fast they are made anew.
    check_unread(personal.made_at, now)?;
    page.close_personal(personal.slot, &personal.owner)?;
    Account::<WipedPersonal>::wiped(personal, now)?;
    Ok(())
}
