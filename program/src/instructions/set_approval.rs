//! Base. The employer names an approver and a limit for a vault. The first policy, and a lower limit, count at once; everything else about
//! one that stands waits: for the present approver, or for a time long enough that nobody with the employer's key alone can use it unseen.

use crate::{
    prelude::*,
    state::{CHANGE_DELAY, NOBODY, Terms},
};

accounts! {
    #[selector(41)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        #[writable] vault: Account<Vault>,
        #[writable] approval: Derived<Approval>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        #[flatten] terms: Terms,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, mut vault, approval, .. } = Accounts::parse(accounts, program_id)?;
    let Data { terms } = Data::parse(data)?;
    let Terms { approver, limit, daily_limit } = terms;

    vault.check_employer(&employer)?;
    // There is nothing to remove where nothing stands, and a removal has no limits.
    let is_removal = approver == NOBODY;
    if approver == vault.employer || (is_removal && (vault.approval == 0 || limit != 0 || daily_limit != 0)) {
        return Err(Failure::InvalidApprover.into());
    }

    let now = now()?;
    let address = *vault.address();
    let mut policy = if vault.approval == 0 {
        let (payer, seeds, size) = (&payer, Approval::seeds(address.as_ref()), size_of::<Approval>());
        let mut new = approval.create(&Creation { payer, program_id, seeds: &seeds, size })?;
        new.vault = address;
        new
    } else {
        Account::of(&approval, program_id)?
    };
    policy.check_vault(&address)?;
    let is_stricter = approver == policy.approver && limit <= vault.approval_limit && daily_limit <= vault.daily_limit;
    if vault.approval != 0 && !is_stricter {
        policy.next_approver = approver;
        policy.next_limit = limit;
        policy.next_daily_limit = daily_limit;
        policy.change_at = now.checked_add(CHANGE_DELAY).ok_or(Failure::Overflow)?;
        let change_at = policy.change_at;
        events::ApprovalChangeProposed { vault: address, approver, limit, daily_limit, change_at }.emit();
        return Ok(());
    }
    policy.set(&mut vault, &terms, now);
    events::ApprovalSet { vault: address, approver, limit, daily_limit }.emit();
    Ok(())
}
