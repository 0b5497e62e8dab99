//! Base. Makes the change of an approval policy that waits: the present approver at any time, the employer once its time has come. It is
//! named, so that nobody agrees to another than they saw.

use crate::{
    prelude::*,
    state::{NOBODY, Terms},
};

accounts! {
    #[selector(42)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        #[writable] employer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] approval: Account<Approval>,
    }
}

data! {
    pub struct Data {
        /// As they wait.
        #[flatten] terms: Terms,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, mut employer, mut vault, mut approval } = Accounts::parse(accounts, program_id)?;
    let Data { terms } = Data::parse(data)?;
    let Terms { approver, limit, daily_limit } = terms;

    accounts::is(&employer, &vault.employer)?;
    let address = *vault.address();
    let now = now()?;
    if signer.address() == &vault.employer {
        approval.check_vault(&address)?;
        vault.check_open()?;
        if now < approval.change_at {
            return Err(Failure::ChangeNotDue.into());
        }
    } else {
        approval.check_approver(&address, &signer)?;
    }
    if approval.change_at == 0 {
        return Err(Failure::NothingProposed.into());
    }
    if approval.next_approver != approver || approval.next_limit != limit || approval.next_daily_limit != daily_limit {
        return Err(Failure::ProposalChanged.into());
    }

    if approver == NOBODY {
        vault.approval = 0;
        vault.approval_limit = 0;
        vault.daily_limit = 0;
        vault.spent_day = 0;
        vault.spent_alone = 0;
        accounts::close(&mut approval.view, &mut employer)?;
        events::ApprovalRemoved { vault: address }.emit();
    } else {
        approval.set(&mut vault, &terms, now);
        events::ApprovalSet { vault: address, approver, limit, daily_limit }.emit();
    }
    Ok(())
}
