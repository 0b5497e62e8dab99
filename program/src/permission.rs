//! Read permissions of the execution layer: what this program asks of the permission program there. A layer without one that is new
//! enough has none, so nothing that pays anybody asks for them.

use crate::{
    accounts,
    context::{EphemeralVault, Known, MagicProgram, PermissionProgram},
    errors::Failure,
    layer,
};
use ephemeral_rollups_pinocchio::acl::{
    CloseEphemeralPermission, CreateEphemeralPermission, EphemeralMembersArgs, EphemeralPermission, MAX_MEMBER_SIZE,
    Member, MemberFlags, PERMISSION, PERMISSION_PROGRAM_ID, UpdateEphemeralPermission, data_buffer_size,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
};

/// Who may read an account beside the account itself: the execution authority. Anybody may read a permission, so that it names nobody else.
const MEMBERS: usize = 1;
const DATA: usize = data_buffer_size(MEMBERS);
/// Where the members begin in a permission.
const MEMBERS_AT: usize = EphemeralPermission::size_of(0) - MAX_MEMBER_SIZE;
/// What the execution authority sees beside the account: what it has sent itself. Nobody else does, because one transaction pays many,
/// and nobody may change who reads but this program.
const SENDER: u8 =
    MemberFlags::TX_LOGS | MemberFlags::TX_BALANCES | MemberFlags::TX_MESSAGE | MemberFlags::ACCOUNT_SIGNATURES;

/// The account that says who may read another one.
fn check_address(permission: &AccountView, subject: &AccountView) -> Result<(), Failure> {
    accounts::derived(permission, &[PERMISSION, subject.address().as_ref()], &PERMISSION_PROGRAM_ID)?;
    Ok(())
}

/// The same, to be written.
fn check_of(permission: &AccountView, subject: &AccountView) -> Result<(), Failure> {
    check_address(permission, subject)?;
    if permission.is_writable() { Ok(()) } else { Err(Failure::InvalidAccount) }
}

/// Whether the permission has been set and not been closed.
fn exists(permission: &AccountView) -> Result<bool, Failure> {
    match (permission.is_data_empty(), permission.owned_by(&PERMISSION_PROGRAM_ID)) {
        (true, _) => Ok(false),
        (false, true) => Ok(true),
        (false, false) => Err(Failure::InvalidAccount),
    }
}

/// Whether a permission that exists names a member.
fn names(permission: &AccountView, address: &Address) -> bool {
    // SAFETY: no other reference to the permission's bytes is alive.
    let data = unsafe { permission.borrow_unchecked() };
    let (members, _) = data.get(MEMBERS_AT..).unwrap_or(&[]).as_chunks::<MAX_MEMBER_SIZE>();
    members.iter().any(|member| member.get(1..) == Some(address.as_ref()))
}

/// An account whose readers are to be set, and its permission.
pub struct Subject<'a> {
    pub account: &'a AccountView,
    pub permission: &'a AccountView,
    /// Seeds of the account's address, the bump last.
    pub seeds: &'a [Seed<'a>],
}

/// What all permissions of a call share.
pub struct Permissions<'a> {
    pub authority: &'a AccountView,
    /// Pays the rent: an open window's batch or a token's counter.
    pub payer: &'a AccountView,
    pub payer_seeds: &'a [Seed<'a>],
    pub permission_program: &'a Known<PermissionProgram>,
    pub vault: &'a Known<EphemeralVault>,
    pub magic_program: &'a Known<MagicProgram>,
}

impl Permissions<'_> {
    /// Lets the execution authority alone read an account; changes nothing where that is set for the present one. Leaves out an account whose
    /// permission can't be created: lamports at its address, or too few in the payer.
    #[inline(never)]
    pub fn set(&self, subject: &Subject) -> ProgramResult {
        let Subject { account, permission, seeds } = *subject;
        check_of(permission, account)?;
        let is_there = exists(permission)?;
        if is_there && names(permission, self.authority.address()) {
            return Ok(());
        }
        let sender = Member { flags: MemberFlags::from_acl_flag_byte(SENDER), pubkey: *self.authority.address() };
        let rent = layer::rent(EphemeralPermission::size_of(MEMBERS));
        let is_free = is_there || permission.lamports() == 0;
        if !is_free || self.payer.lamports() < layer::least_to_pay(self.payer, rent)? {
            return Ok(());
        }
        let args = EphemeralMembersArgs { is_private: true, members: &[sender] };
        let signers = [Signer::from(self.payer_seeds), Signer::from(seeds)];
        let signers = self.signers(account, &signers);
        let Permissions { authority, payer, permission_program, vault, magic_program, .. } = *self;
        if is_there {
            UpdateEphemeralPermission {
                permissioned_account: account,
                permission,
                payer,
                authority,
                vault,
                magic_program,
                permission_program,
                authority_is_signer: false,
                args,
            }
            .invoke_signed::<DATA>(signers)?;
        } else {
            CreateEphemeralPermission {
                permissioned_account: account,
                permission,
                payer,
                vault,
                magic_program,
                permission_program,
                args,
            }
            .invoke_signed::<DATA>(signers)?;
        }
        self.check_set(permission)
    }

    /// A permission is there and names the execution authority: one that was left out does not.
    pub fn check_set(&self, permission: &AccountView) -> ProgramResult {
        if exists(permission)? && names(permission, self.authority.address()) {
            Ok(())
        } else {
            Err(Failure::PermissionNotSet.into())
        }
    }

    /// Closes an account's permission, if there is one; its rent goes back to the payer.
    #[inline(never)]
    pub fn close(&self, subject: &Subject) -> ProgramResult {
        let Subject { account, permission, seeds } = *subject;
        // By another address it would be left where it is.
        check_address(permission, account)?;
        if !exists(permission)? {
            return Ok(());
        }
        if !permission.is_writable() {
            return Err(Failure::InvalidAccount.into());
        }
        let signers = [Signer::from(self.payer_seeds), Signer::from(seeds)];
        CloseEphemeralPermission {
            permissioned_account: account,
            permission,
            payer: self.payer,
            authority: self.authority,
            vault: self.vault,
            magic_program: self.magic_program,
            permission_program: self.permission_program,
            authority_is_signer: false,
        }
        .invoke_signed(self.signers(account, &signers))
    }

    /// The payer can't sign twice for one call.
    fn signers<'s>(&self, account: &AccountView, both: &'s [Signer<'s, 's>; 2]) -> &'s [Signer<'s, 's>] {
        if account.address() == self.payer.address() { &both[..1] } else { both }
    }
}
