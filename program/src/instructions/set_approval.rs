//! Base. The employer names an approver and a limit for a vault. The first policy, and a lower limit, count at once; everything else about
//! one that stands waits: for the present approver, or for a time long enough that nobody with the employer's key alone can use it unseen.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Approval, CHANGE_DELAY, Header, NOBODY, Vault, load_mut, store},
};
use pinocchio::{
    ProgramResult,
    cpi::Seed,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [employer, payer, vault, approval, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let approver = reader.address()?;
    let limit = reader.u64()?;
    reader.end()?;

    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    let vault_address = *vault.address();
    let vault = load_mut::<Vault>(vault, program_id)?;
    vault.check_employer(employer)?;
    let bump = accounts::derived(approval, &[Approval::SEED, vault_address.as_ref()], program_id)?;
    // There is nothing to remove where nothing stands, and a removal has no limit.
    let is_removal = approver == NOBODY;
    if approver == vault.employer || (is_removal && (vault.approval == 0 || limit != 0)) {
        return Err(Failure::InvalidApprover.into());
    }

    let now = Clock::get()?.unix_timestamp;
    if vault.approval == 0 {
        let bump_seed = [bump];
        let seeds = [Seed::from(Approval::SEED), Seed::from(vault_address.as_ref()), Seed::from(&bump_seed)];
        accounts::Create { account: approval, size: size_of::<Approval>(), payer, program_id, seeds: &seeds }
            .invoke()?;
        store(
            approval,
            Approval {
                header: Header::new::<Approval>(bump),
                reserved_head: [0; 5],
                vault: vault_address,
                approver,
                next_approver: NOBODY,
                next_limit: 0,
                change_at: 0,
                set_at: now,
                reserved: [0; 32],
            },
        )?;
    }
    let policy = load_mut::<Approval>(approval, program_id)?;
    policy.check_vault(&vault_address)?;
    let is_stricter = approver == policy.approver && limit <= vault.approval_limit;
    if vault.approval != 0 && !is_stricter {
        policy.next_approver = approver;
        policy.next_limit = limit;
        policy.change_at = now.checked_add(CHANGE_DELAY).ok_or(Failure::Overflow)?;
        Event::new(Kind::ApprovalChangeProposed)
            .address(&vault_address)
            .address(&approver)
            .u64(limit)
            .i64(policy.change_at)
            .emit();
        return Ok(());
    }
    policy.set(vault, approver, limit, now);
    Event::new(Kind::ApprovalSet).address(&vault_address).address(&approver).u64(limit).emit();
    Ok(())
}
