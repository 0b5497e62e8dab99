//! Base. The employer puts a new list in place of the present one, from the next window on: also while a window is open, because the
//! open one's batch has the old list's root with it. Above the vault's limits the new list waits for the approver, and the present one stays.
//! The payer prepays the new list's fees.

use crate::prelude::*;
use pinocchio::{
    Resize,
    sysvars::{Sysvar, rent::Rent},
};
use pinocchio_system::instructions::Transfer as TransferLamports;

accounts! {
    #[selector(11)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[writable] vault: Account<Vault>,
        #[writable] schedule: Account<Schedule>,
        #[writable] batch: Derived<Batch>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        root: Hash,
        /// Base units for each execution.
        amount: u64,
        recipients: u32,
    }
}

/// Makes an idle batch large enough; the payer adds the rent.
fn enlarge(mut batch: Account<Batch>, payer: &AccountView, size: usize) -> ProgramResult {
    let missing = Rent::get()?.try_minimum_balance(size)?.saturating_sub(batch.view.lamports());
    if missing > 0 {
        TransferLamports { from: payer, to: &batch.view, lamports: missing }.invoke()?;
    }
    batch.view.resize(size)
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, payer, config, mut vault, mut schedule, batch, .. } =
        Accounts::parse(accounts, program_id)?;
    let Data { root, amount, recipients } = Data::parse(data)?;

    schedule.check_employer(&vault, &employer)?;
    let address = *schedule.address();
    accounts::at(&batch, &[Batch::SEED, address.as_ref(), &[schedule.batch_bump]], program_id)?;
    if schedule.has_ended() {
        return Err(Failure::ScheduleEnded.into());
    }
    config.check_list(recipients, amount)?;
    let size = Batch::size(recipients);
    if size > batch.data_len() {
        // An open window's batch is in the execution layer's hands.
        if schedule.is_open() {
            return Err(Failure::WindowAlreadyOpen.into());
        }
        enlarge(Account::of(&batch, program_id)?, &payer, size)?;
    }

    let now = now()?;
    // Whoever is paid by another list is promised it anew.
    let sum = amount::mul(amount, u64::from(schedule.unopened()))?;
    if !schedule.is_awaiting() && !vault.spend_alone(amount, sum, now) {
        schedule.proposal = Proposal { root, amount, at: now, recipients, ..schedule.proposal };
        schedule.log_proposal(&address)?;
        schedule.prepay(&payer)?;
        return Ok(());
    }
    amount::sub(&mut vault.reserved, schedule.promised()?)?;
    schedule.put_list(root, amount, recipients)?;
    vault.reserve(schedule.promised()?)?;
    // What waited was to change another list.
    let at = if schedule.is_awaiting() { now } else { 0 };
    schedule.proposal = Proposal { at, ..Proposal::NONE };
    schedule.prepay(&payer)?;
    events::RecipientsUpdated { schedule: address, root_version: schedule.root_version, amount, recipients }.emit();
    Ok(())
}
