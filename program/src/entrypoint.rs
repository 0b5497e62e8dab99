use crate::{context::Context, errors::Failure, instructions::*, layer};
use ephemeral_rollups_pinocchio::consts::EXTERNAL_UNDELEGATE_DISCRIMINATOR;
use pinocchio::{AccountView, Address, ProgramResult, default_allocator, nostd_panic_handler, program_entrypoint};

program_entrypoint!(process);
default_allocator!();
nostd_panic_handler!();

/// Dispatches by the first byte of the data.
#[inline(always)]
fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (&selector, rest) = data.split_first().ok_or(Failure::InvalidData)?;
    let context = Context { program_id, accounts, data: rest };
    match selector {
        0 => init_config::process(context),
        1 => update_config::process(context),
        2 => accept_governance::process(context),
        3 => set_whitelist::process(context),
        4 => init_pool::process(context),
        5 => init_counter::process(context),
        6 => init_vault::process(context),
        7 => deposit::process(context),
        8 => withdraw::process(context),
        9 => create_schedule::process(context),
        10 => fund_schedule::process(context),
        11 => update_recipients::process(context),
        12 => pause_schedule::process(context),
        13 => resume_schedule::process(context),
        14 => cancel_schedule::process(context),
        15 => delegate_schedule::process(context),
        16 => settle::process(context),
        layer::PAY_OUT => pay_out::process(context),
        18 => close_schedule::process(context),
        19 => close_vault::process(context),
        20 => update_guardian::process(context),
        21 => hold_recipient::process(context),
        22 => release_recipient::process(context),
        23 => record_liabilities::process(context),
        24 => declare_loss::process(context),
        25 => revoke_loss::process(context),
        26 => redeem::process(context),
        27 => reclaim_window::process(context),
        32 => claim_payment::process(context),
        33 => commit::process(context),
        34 => request_withdrawal::process(context),
        35 => confirm_withdrawal::process(context),
        36 => set_standing_order::process(context),
        37 => execute_order::process(context),
        38 => redirect_withdrawal::process(context),
        39 => set_permissions::process(context),
        40 => close_permission::process(context),
        41 => set_approval::process(context),
        42 => confirm_approval::process(context),
        43 => approve_schedule::process(context),
        44 => reject_schedule::process(context),
        45 => withdraw_approved::process(context),
        _ => match data.strip_prefix(&EXTERNAL_UNDELEGATE_DISCRIMINATOR) {
            Some(seeds) => undelegation_callback::process(Context { data: seeds, ..context }),
            None => Err(Failure::InvalidData.into()),
        },
    }
}
