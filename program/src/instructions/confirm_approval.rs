//! Base. Makes the change of an approval policy that waits: the present approver at any time, the employer once its time has come. It is
//! named, so that nobody agrees to another than they saw.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Approval, NOBODY, Vault, load_mut},
};
use pinocchio::{
    ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [signer, employer, vault, approval] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let approver = reader.address()?;
    let limit = reader.u64()?;
    reader.end()?;

    let vault_address = *vault.address();
    let vault = load_mut::<Vault>(vault, program_id)?;
    accounts::is(employer, &vault.employer)?;
    let policy = load_mut::<Approval>(approval, program_id)?;
    let now = Clock::get()?.unix_timestamp;
    if signer.address() == &vault.employer {
        policy.check_vault(&vault_address)?;
        vault.check_employer(signer)?;
        if now < policy.change_at {
            return Err(Failure::ChangeNotDue.into());
        }
    } else {
        policy.check_approver(&vault_address, signer)?;
    }
    if policy.change_at == 0 {
        return Err(Failure::NothingProposed.into());
    }
    if policy.next_approver != approver || policy.next_limit != limit {
        return Err(Failure::ProposalChanged.into());
    }

    if approver == NOBODY {
        vault.approval = 0;
        vault.approval_limit = 0;
        accounts::close(approval, employer)?;
        Event::new(Kind::ApprovalRemoved).address(&vault_address).emit();
    } else {
        policy.set(vault, approver, limit, now);
        Event::new(Kind::ApprovalSet).address(&vault_address).address(&approver).u64(limit).emit();
    }
    Ok(())
}
