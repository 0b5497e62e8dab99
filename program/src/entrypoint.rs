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
        4 => init_pool::process(context),
        5 => init_counter::process(context),
        6 => init_vault::process(context),
        7 => deposit::process(context),
        8 => withdraw::process(context),
        9 => create_schedule::process(context),
        15 => delegate_schedule::process(context),
        16 => settle::process(context),
        layer::PAY_OUT => pay_out::process(context),
        32 => claim_payment::process(context),
        33 => commit::process(context),
        34 => request_withdrawal::process(context),
        35 => confirm_withdrawal::process(context),
        _ => match data.strip_prefix(&EXTERNAL_UNDELEGATE_DISCRIMINATOR) {
            Some(seeds) => undelegation_callback::process(Context { data: seeds, ..context }),
            None => Err(Failure::InvalidData.into()),
        },
    }
}
