use crate::{context::Context, errors::Failure, instructions::*};
use ephemeral_rollups_pinocchio::consts::EXTERNAL_UNDELEGATE_DISCRIMINATOR;
use pinocchio::{AccountView, Address, ProgramResult, default_allocator, nostd_panic_handler, program_entrypoint};

program_entrypoint!(process);
default_allocator!();
nostd_panic_handler!();

/// Dispatches by the first byte of the data.
macro_rules! dispatch {
    ($($instruction:ident)*) => {
        #[inline(always)]
        fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
            let (&selector, rest) = data.split_first().ok_or(Failure::InvalidData)?;
            let context = Context { program_id, accounts, data: rest };
            match selector {
                $($instruction::SELECTOR => $instruction::process(context),)*
                _ => match data.strip_prefix(&EXTERNAL_UNDELEGATE_DISCRIMINATOR) {
                    Some(seeds) => undelegation_callback::process(Context { data: seeds, ..context }),
                    None => Err(Failure::InvalidData.into()),
                },
            }
        }
    };
}

dispatch! {
    init_config update_config accept_governance set_whitelist init_pool init_counter init_vault deposit withdraw
    create_schedule fund_schedule update_recipients pause_schedule resume_schedule cancel_schedule
    delegate_schedule settle pay_out close_schedule close_vault update_guardian hold_recipient release_recipient
    record_liabilities declare_loss revoke_loss redeem reclaim_window claim_payment commit request_withdrawal
    confirm_withdrawal set_standing_order execute_order redirect_withdrawal cancel_withdrawal name_recovery
    request_recovery refuse_recovery complete_recovery set_least_opening set_permissions close_permission
    open_bitmap open_pages fund_counter open_personal close_personal show_balance set_approval confirm_approval
    approve_schedule reject_schedule withdraw_approved propose_authority accept_authority approve_authority
    refuse_authority suspend lift_suspension propose_replacement accept_replacement refuse_replacement
    declare_loss_alone book_surplus wipe_personal show_personal request_parts
    request_transfer execute_transfer reserve_windows set_role
}
