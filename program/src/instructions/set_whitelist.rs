//! Base. Governance puts an employer or a mint on the whitelist, or takes it off: then the entry is closed and its lamports go to the payer.

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
    let Accounts { governance, mut payer, config, mut entry, .. } = Accounts::parse(accounts, program_id)?;
    let Data { subject, allowed } = Data::parse(data)?;

    config.check_governance(&governance)?;
    if allowed > 1 {
        return Err(Failure::InvalidData.into());
    }

    let seeds = WhitelistEntry::seeds(subject.as_ref());
    let is_there = entry.owned_by(program_id);
    // A creation looks at the address by itself.
    if is_there || allowed == 0 {
        accounts::derived(&entry, &seeds, program_id)?;
    }
    if allowed == 1 {
        let mut entry = if is_there {
            Account::of(&entry, program_id)?
        } else {
            entry.create(&Creation { payer: &payer, program_id, seeds: &seeds, size: size_of::<WhitelistEntry>() })?
        };
        entry.subject = subject;
        entry.allowed = allowed;
        entry.set_at = now()?;
    } else if is_there {
        accounts::close(&mut entry, &mut payer)?;
    }
    events::WhitelistSet { subject, allowed }.emit();
    Ok(())
}
