//! A stand-in for the permission program of private execution layers, for tests: the published one has no permissions that stand in the
//! layer alone. It has the three instructions that make, change and close those, with the accounts and data of MagicBlock's ephemeral
//! rollups SDK 0.17, keeps them in the layout that the SDK reads, and is strict about who signs. What else the real one may ask is not
//! known.
#![no_std]

use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer, invoke_signed},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    no_allocator, nostd_panic_handler, program_entrypoint,
};
use solana_address::address;

program_entrypoint!(process);
no_allocator!();
nostd_panic_handler!();

/// This program.
const ID: Address = address!("ACLseoPoyC3cBqoUtkbjZ4aDrkurZW86v19pXz2XQnp1");
const MAGIC_PROGRAM: Address = address!("Magic11111111111111111111111111111111111111");
const EPHEMERAL_VAULT: Address = address!("MagicVau1t999999999999999999999999999999999");

const CREATE: u64 = 6;
const UPDATE: u64 = 7;
const CLOSE: u64 = 8;

const CREATE_EPHEMERAL_ACCOUNT: u32 = 12;
const RESIZE_EPHEMERAL_ACCOUNT: u32 = 13;
const CLOSE_EPHEMERAL_ACCOUNT: u32 = 14;

const SEED: &[u8] = b"permission:";
const KIND: u8 = 2;
/// Kind u8, bump u8, permissioned account 32, private u8; then members.
const HEAD: usize = 35;
/// Flags u8, address 32.
const MEMBER: usize = 33;
const MOST_MEMBERS: usize = 32;
/// May change and close the permission.
const AUTHORITY: u8 = 1;

#[inline(always)]
fn process(_program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (selector, rest) = data.split_first_chunk::<8>().ok_or(ProgramError::InvalidInstructionData)?;
    match u64::from_le_bytes(*selector) {
        CREATE => create(accounts, rest),
        UPDATE => update(accounts, rest),
        CLOSE => close(accounts, rest),
        _ => Err(ProgramError::InvalidInstructionData),
    }
}

/// Accounts: permissioned account's payer (signs, written), permissioned account (signs), permission (written), vault (written), Magic
/// program.
#[inline(never)]
fn create(accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [payer, permissioned, permission, vault, magic_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    check_layer(payer, vault, magic_program)?;
    if !permissioned.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    let (address, bump) = address_of(permissioned.address())?;
    if permission.address() != &address {
        return Err(ProgramError::InvalidSeeds);
    }
    if !permission.is_data_empty() {
        return Err(ProgramError::AccountAlreadyInitialized);
    }
    let size = size_of_permission(data)?;
    let bump = [bump];
    let seeds = [Seed::from(SEED), Seed::from(permissioned.address().as_ref()), Seed::from(&bump)];
    let asked = data_of(CREATE_EPHEMERAL_ACCOUNT, size);
    Ask { data: &asked, accounts: [payer, permission, vault], signs: true }.invoke(&[Signer::from(&seeds)])?;
    write(permission, permissioned.address(), bump[0], data)
}

/// Accounts: payer (signs, written), authority, permissioned account (one of the two signs), permission (written), vault (written), Magic
/// program.
#[inline(never)]
fn update(accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [payer, authority, permissioned, permission, vault, magic_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    check_layer(payer, vault, magic_program)?;
    let bump = check_change(authority, permissioned, permission)?;
    let size = size_of_permission(data)?;
    if permission.data_len() != size as usize {
        let asked = data_of(RESIZE_EPHEMERAL_ACCOUNT, size);
        Ask { data: &asked, accounts: [payer, permission, vault], signs: false }.invoke(&[])?;
    }
    write(permission, permissioned.address(), bump, data)
}

/// Accounts: as those of an update.
#[inline(never)]
fn close(accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let [payer, authority, permissioned, permission, vault, magic_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    if !data.is_empty() {
        return Err(ProgramError::InvalidInstructionData);
    }
    check_layer(payer, vault, magic_program)?;
    check_change(authority, permissioned, permission)?;
    let asked = CLOSE_EPHEMERAL_ACCOUNT.to_le_bytes();
    Ask { data: &asked, accounts: [payer, permission, vault], signs: false }.invoke(&[])
}

fn check_layer(payer: &AccountView, vault: &AccountView, magic_program: &AccountView) -> ProgramResult {
    if !payer.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    if !payer.is_writable() || !vault.is_writable() || vault.address() != &EPHEMERAL_VAULT {
        return Err(ProgramError::InvalidArgument);
    }
    if magic_program.address() == &MAGIC_PROGRAM { Ok(()) } else { Err(ProgramError::IncorrectProgramId) }
}

/// The permission is that of the account, and whoever may change it signs. Returns its bump.
fn check_change(
    authority: &AccountView,
    permissioned: &AccountView,
    permission: &AccountView,
) -> Result<u8, ProgramError> {
    if !permission.owned_by(&ID) || !permission.is_writable() {
        return Err(ProgramError::InvalidAccountOwner);
    }
    // SAFETY: nobody holds a reference to the account's bytes.
    let data = unsafe { permission.borrow_unchecked() };
    let (head, members) = data.split_first_chunk::<HEAD>().ok_or(ProgramError::UninitializedAccount)?;
    let [kind, bump, address @ .., _private] = head;
    if *kind != KIND || address != permissioned.address().as_array() {
        return Err(ProgramError::InvalidAccountData);
    }
    let (members, _) = members.as_chunks::<MEMBER>();
    let is_authority = |account: &AccountView| {
        members.iter().any(|[flags, who @ ..]| flags & AUTHORITY != 0 && who == account.address().as_array())
    };
    let may =
        (permissioned.is_signer() && is_authority(permissioned)) || (authority.is_signer() && is_authority(authority));
    if may { Ok(*bump) } else { Err(ProgramError::MissingRequiredSignature) }
}

/// Data of a permission: private u8, then members. The account itself is always the first.
fn size_of_permission(data: &[u8]) -> Result<u32, ProgramError> {
    let (private, members) = data.split_first().ok_or(ProgramError::InvalidInstructionData)?;
    let (members, surplus) = members.as_chunks::<MEMBER>();
    if *private > 1 || !surplus.is_empty() || members.len() > MOST_MEMBERS {
        return Err(ProgramError::InvalidInstructionData);
    }
    Ok(HEAD.wrapping_add(MEMBER.wrapping_mul(members.len().wrapping_add(1))) as u32)
}

#[inline(always)]
fn write(permission: &mut AccountView, permissioned: &Address, bump: u8, data: &[u8]) -> ProgramResult {
    let (private, members) = data.split_first().ok_or(ProgramError::InvalidInstructionData)?;
    // SAFETY: nobody holds a reference to the account's bytes.
    let bytes = unsafe { permission.borrow_unchecked_mut() };
    let (head, own) = bytes.split_first_chunk_mut::<HEAD>().ok_or(ProgramError::AccountDataTooSmall)?;
    let (own, rest) = own.split_first_chunk_mut::<MEMBER>().ok_or(ProgramError::AccountDataTooSmall)?;
    if rest.len() != members.len() {
        return Err(ProgramError::AccountDataTooSmall);
    }
    head[0] = KIND;
    head[1] = bump;
    head[2..34].copy_from_slice(permissioned.as_ref());
    head[34] = *private;
    own[0] = AUTHORITY;
    own[1..].copy_from_slice(permissioned.as_ref());
    rest.copy_from_slice(members);
    Ok(())
}

/// Where the permission of an account stands, and the bump.
fn address_of(permissioned: &Address) -> Result<(Address, u8), ProgramError> {
    let seeds: [&[u8]; 2] = [SEED, permissioned.as_ref()];
    let (mut address, mut bump) = ([0u8; 32], 0u8);
    // SAFETY: a slice of slices has the layout that the syscall reads (pointer, length); it writes 32 bytes and one.
    let status = unsafe {
        solana_define_syscall::definitions::sol_try_find_program_address(
            seeds.as_ptr().cast(),
            2,
            ID.as_ref().as_ptr(),
            address.as_mut_ptr(),
            &raw mut bump,
        )
    };
    if status == 0 { Ok((Address::new_from_array(address), bump)) } else { Err(ProgramError::InvalidSeeds) }
}

fn data_of(selector: u32, size: u32) -> [u8; 8] {
    let [[a, b, c, d], [e, f, g, h]] = [selector, size].map(u32::to_le_bytes);
    [a, b, c, d, e, f, g, h]
}

/// What the Magic program is asked about an ephemeral account: one struct, because the machine passes five arguments at most.
struct Ask<'a> {
    data: &'a [u8],
    /// payer, account, vault
    accounts: [&'a AccountView; 3],
    /// Whether the account signs, as it does for its creation.
    signs: bool,
}

impl Ask<'_> {
    #[inline(never)]
    fn invoke(&self, signers: &[Signer]) -> ProgramResult {
        let [payer, account, vault] = self.accounts;
        invoke_signed(
            &InstructionView {
                program_id: &MAGIC_PROGRAM,
                data: self.data,
                accounts: &[
                    InstructionAccount::writable_signer(payer.address()),
                    InstructionAccount::new(account.address(), true, self.signs),
                    InstructionAccount::writable(vault.address()),
                ],
            },
            &self.accounts,
            signers,
        )
    }
}
