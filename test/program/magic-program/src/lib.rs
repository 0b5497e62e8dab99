//! A double of the execution layer's Magic program, for tests of the ledger program in litesvm: the real one is a builtin of the
//! ephemeral validator. It knows what the ledger program calls, and is as strict about the accounts. It does nothing on the
//! base: the harness reads what was scheduled from the transaction's inner instructions.
#![no_std]

use pinocchio::{
    AccountView, Address, ProgramResult, Resize,
    cpi::invoke,
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    no_allocator, nostd_panic_handler, program_entrypoint,
    sysvars::rent::{ACCOUNT_STORAGE_OVERHEAD, DEFAULT_LAMPORTS_PER_BYTE},
};
use solana_address::address;

program_entrypoint!(process);
no_allocator!();
nostd_panic_handler!();

const CONTEXT: Address = address!("MagicContext1111111111111111111111111111111");
const EPHEMERAL_VAULT: Address = address!("MagicVau1t999999999999999999999999999999999");
const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);
const PERMISSION_PROGRAM: Address = address!("ACLseoPoyC3cBqoUtkbjZ4aDrkurZW86v19pXz2XQnp1");
/// Height of the stack where the ledger program, which a transaction calls, calls this one.
const CALLED_BY_LEDGER_PROGRAM: u64 = 2;

const COMMIT_AND_UNDELEGATE: u32 = 2;
const SCHEDULE_INTENT_BUNDLE: u32 = 11;
const CREATE_EPHEMERAL_ACCOUNT: u32 = 12;
const RESIZE_EPHEMERAL_ACCOUNT: u32 = 13;
const CLOSE_EPHEMERAL_ACCOUNT: u32 = 14;
const PREPARE: u32 = u32::MAX;

/// What an ephemeral account costs its sponsor, in lamports for each byte and for an account's overhead of 60 bytes.
const RENT_PER_BYTE: u64 = 32;
const OVERHEAD: u64 = 60;

/// What an account that isn't ephemeral must hold. The rent sysvar here has a form that pinocchio's `Rent` doesn't know: see `LAYER_RENT` of
/// the harness.
const fn own_rent(bytes: usize) -> u64 {
    DEFAULT_LAMPORTS_PER_BYTE.wrapping_mul(ACCOUNT_STORAGE_OVERHEAD.wrapping_add(bytes as u64))
}

#[inline(always)]
fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (selector, rest) = data.split_first_chunk::<4>().ok_or(ProgramError::InvalidInstructionData)?;
    match u32::from_le_bytes(*selector) {
        COMMIT_AND_UNDELEGATE => schedule_commit(accounts, rest),
        SCHEDULE_INTENT_BUNDLE => schedule_action(accounts, rest),
        CREATE_EPHEMERAL_ACCOUNT => create(program_id, accounts, size_in(rest)?),
        RESIZE_EPHEMERAL_ACCOUNT => resize(accounts, size_in(rest)?),
        CLOSE_EPHEMERAL_ACCOUNT => close(accounts, rest),
        PREPARE => prepare(program_id, accounts),
        _ => Err(ProgramError::InvalidInstructionData),
    }
}

fn size_in(data: &[u8]) -> Result<u32, ProgramError> {
    <[u8; 4]>::try_from(data).map(u32::from_le_bytes).map_err(|_| ProgramError::InvalidInstructionData)
}

/// Accounts: payer (signs, written), context (written), the accounts to commit (of one program).
#[inline(never)]
fn schedule_commit(accounts: &[AccountView], data: &[u8]) -> ProgramResult {
    let [payer, context, committed @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    check_payer_and_context(payer, context)?;
    let Some(first) = committed.first() else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    if !data.is_empty() {
        return Err(ProgramError::InvalidInstructionData);
    }
    for account in committed {
        if account.owned_by(&SYSTEM_PROGRAM) || !account.owned_by(first.owner()) {
            return Err(ProgramError::InvalidAccountOwner);
        }
    }
    Ok(())
}

/// Accounts: payer (signs, written), context (written), then those that the actions refer to: an escrow's authority signs.
#[inline(never)]
fn schedule_action(accounts: &[AccountView], data: &[u8]) -> ProgramResult {
    let [payer, context, authority, ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    check_payer_and_context(payer, context)?;
    if !authority.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    if data.is_empty() {
        return Err(ProgramError::InvalidInstructionData);
    }
    Ok(())
}

/// Accounts: system program, then the accounts that are to be created in this transaction (all sign). Not part of the real program,
/// which allocates by itself: a program of this machine can only enlarge what it owns. The harness sends it before the
/// instruction that creates, for those accounts alone that the creating program can sign for.
#[inline(never)]
fn prepare(program_id: &Address, accounts: &[AccountView]) -> ProgramResult {
    let [_system_program, created @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut assign = [0u8; 36];
    assign[0] = 1;
    assign[4..].copy_from_slice(program_id.as_ref());
    for account in created {
        invoke(
            &InstructionView {
                program_id: &SYSTEM_PROGRAM,
                data: &assign,
                accounts: &[InstructionAccount::writable_signer(account.address())],
            },
            &[account],
        )?;
    }
    Ok(())
}

/// Accounts: sponsor (signs, written), the new account (signs, written), vault (written). A program can't see who called it, but how
/// deep: the ledger program sponsors with an account of its own, and whom it calls to create accounts is the permission program.
#[inline(never)]
fn create(program_id: &Address, accounts: &mut [AccountView], size: u32) -> ProgramResult {
    let [sponsor, account, vault] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    if !sponsor.is_signer() || !account.is_signer() || !account.owned_by(program_id) {
        return Err(ProgramError::MissingRequiredSignature);
    }
    if !sponsor.is_writable() || !account.is_writable() || !vault.is_writable() || vault.address() != &EPHEMERAL_VAULT {
        return Err(ProgramError::InvalidArgument);
    }
    if sponsor.owned_by(&SYSTEM_PROGRAM) {
        return Err(ProgramError::InvalidAccountOwner);
    }
    if account.lamports() != 0 || !account.is_data_empty() {
        return Err(ProgramError::AccountAlreadyInitialized);
    }
    let price = u64::from(size).saturating_add(OVERHEAD).saturating_mul(RENT_PER_BYTE);
    if sponsor.lamports() < price.saturating_add(own_rent(sponsor.data_len())) {
        return Err(ProgramError::InsufficientFunds);
    }

    account.resize(size as usize)?;
    // An account without lamports would vanish in litesvm; a real ephemeral account has none.
    let rent = own_rent(size as usize);
    let left = vault.lamports().checked_sub(rent).ok_or(ProgramError::InsufficientFunds)?;
    vault.set_lamports(left);
    account.set_lamports(rent);
    // SAFETY: the syscall only returns a number.
    let height = unsafe { solana_define_syscall::definitions::sol_get_stack_height() };
    // SAFETY: nobody holds a reference to the owner.
    unsafe { account.assign(if height == CALLED_BY_LEDGER_PROGRAM { sponsor.owner() } else { &PERMISSION_PROGRAM }) };
    Ok(())
}

/// Accounts: as those of a closing. Only to the size that the account has: the permission program asks for it at every change, and a program
/// of this machine can't resize what it doesn't own.
#[inline(never)]
fn resize(accounts: &[AccountView], size: u32) -> ProgramResult {
    let account = check_ephemeral(accounts)?;
    if account.data_len() == size as usize { Ok(()) } else { Err(ProgramError::InvalidInstructionData) }
}

/// Accounts: sponsor (signs, written), the account (written), vault (written). The harness takes the account away and pays its rent back:
/// a program of this machine can only change what it owns.
#[inline(never)]
fn close(accounts: &[AccountView], data: &[u8]) -> ProgramResult {
    let account = check_ephemeral(accounts)?;
    if data.is_empty() && !account.is_data_empty() { Ok(()) } else { Err(ProgramError::InvalidInstructionData) }
}

/// The account of a call that changes one which exists.
fn check_ephemeral(accounts: &[AccountView]) -> Result<&AccountView, ProgramError> {
    let [sponsor, account, vault] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    if !sponsor.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    if !sponsor.is_writable() || !account.is_writable() || !vault.is_writable() || vault.address() != &EPHEMERAL_VAULT {
        return Err(ProgramError::InvalidArgument);
    }
    Ok(account)
}

fn check_payer_and_context(payer: &AccountView, context: &AccountView) -> ProgramResult {
    if !payer.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    if !payer.is_writable() || !context.is_writable() || context.address() != &CONTEXT {
        return Err(ProgramError::InvalidArgument);
    }
    Ok(())
}
