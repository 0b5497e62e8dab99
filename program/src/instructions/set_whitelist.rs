//! Base. Governance puts an employer or a mint on the whitelist, or takes it off.

use crate::prelude::*;

accounts! {
    #[selector(3)]
    pub struct Accounts {
        #[signer] governance: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[writable] entry: Derived<WhitelistEntry>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        /// An employer or a mint.
        subject: Address,
        /// 1: allowed, 0: not.
        allowed: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { governance, payer, config, entry, .. } = Accounts::parse(accounts, program_id)?;
    let Data { subject, allowed } = Data::parse(data)?;

    config.check_governance(&governance)?;
    if allowed > 1 {
        return Err(Failure::InvalidData.into());
    }

    let (payer, seeds, size) = (&payer, WhitelistEntry::seeds(subject.as_ref()), size_of::<WhitelistEntry>());
    let mut entry = if entry.owned_by(program_id) {
        accounts::derived(&entry, &seeds, program_id)?;
        Account::of(&entry, program_id)?
    } else {
        entry.create(&Creation { payer, program_id, seeds: &seeds, size })?
    };
    entry.subject = subject;
    entry.allowed = allowed;
    entry.set_at = now()?;
    events::WhitelistSet { subject, allowed }.emit();
    Ok(())
}
