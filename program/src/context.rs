//! What an instruction is given, and how it says which accounts it takes.

use crate::{
    errors::Failure,
    state::{self, Header, State},
};
use core::{
    marker::PhantomData,
    ops::{Deref, DerefMut},
};
use pinocchio::{AccountView, Address, error::ProgramError};
use solana_address::address;

/// What an instruction is given: one struct, because the machine passes five arguments at most.
pub struct Context<'a> {
    pub program_id: &'a Address,
    pub accounts: &'a mut [AccountView],
    /// Data after the selector.
    pub data: &'a [u8],
}

/// What the type of an account asks of it. An `AccountView` asks nothing: the instruction's rules say which one it is.
pub trait Checked {
    /// The account is the one program, or the one account of a program, that can be meant.
    fn check_address(_account: &AccountView, _program_id: &Address) -> Result<(), Failure> {
        Ok(())
    }

    /// The account belongs to this program and holds what the type says.
    fn check_owner(_account: &AccountView, _program_id: &Address) -> Result<(), Failure> {
        Ok(())
    }

    fn new(account: AccountView) -> Self;
}

impl Checked for AccountView {
    fn new(account: AccountView) -> Self {
        account
    }
}

/// An account of this program that exists.
pub struct Account<T> {
    pub view: AccountView,
    state: PhantomData<T>,
}

impl<T> Account<T> {
    pub fn address(&self) -> &Address {
        self.view.address()
    }
}

impl<T: State> Account<T> {
    /// Takes an account that need not have been one of this kind when the instruction began.
    #[inline(always)]
    pub fn of(account: &AccountView, program_id: &Address) -> Result<Self, Failure> {
        Self::check_owner(account, program_id)?;
        Ok(Self::new(*account))
    }

    /// The same, to write.
    #[inline(always)]
    pub fn of_writable(account: &AccountView, program_id: &Address) -> Result<Self, Failure> {
        let known = Self::of(account, program_id)?;
        if account.is_writable() { Ok(known) } else { Err(Failure::InvalidAccount) }
    }

    /// Takes an account that this instruction has just created: zeros, but for the header that is written here.
    #[inline(always)]
    pub fn created(account: &AccountView, bump: u8) -> Result<Self, Failure> {
        if account.data_len() < size_of::<T>() {
            return Err(Failure::InvalidAccount);
        }
        // SAFETY: the length was checked, every layout begins with a header, and nothing else refers to the account.
        unsafe { account.data_ptr().cast_mut().cast::<Header>().write(Header::new::<T>(bump)) };
        Ok(Self::new(*account))
    }
}

impl<T: State> Checked for Account<T> {
    #[inline(always)]
    fn check_owner(account: &AccountView, program_id: &Address) -> Result<(), Failure> {
        state::check::<T>(account, program_id)
    }

    fn new(view: AccountView) -> Self {
        Account { view, state: PhantomData }
    }
}

impl<T: State> Deref for Account<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: length and kind were checked when the account was taken; the runtime aligns account data to 8 bytes.
        unsafe { &*self.view.data_ptr().cast::<T>() }
    }
}

/// No instruction takes two accounts of one kind to write, so the kinds keep references to one account from overlapping even when a
/// caller passes it twice; but for a private transfer, which is done with the one page before it touches the other. That the account is writable is checked where it is declared as such; the ledger refuses a change of another.
impl<T: State> DerefMut for Account<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`.
        unsafe { &mut *self.view.data_mut_ptr().cast::<T>() }
    }
}

/// The account at an address that `T` derives; it may not exist, or be away in the execution layer.
pub struct Derived<T> {
    pub view: AccountView,
    state: PhantomData<T>,
}

impl<T> Checked for Derived<T> {
    fn new(view: AccountView) -> Self {
        Derived { view, state: PhantomData }
    }
}

impl<T> Deref for Derived<T> {
    type Target = AccountView;

    fn deref(&self) -> &AccountView {
        &self.view
    }
}

impl<T> DerefMut for Derived<T> {
    fn deref_mut(&mut self) -> &mut AccountView {
        &mut self.view
    }
}

/// An address that is the same everywhere.
pub trait KnownAddress {
    const ADDRESS: Address;
}

/// A program or an account that is the same everywhere.
pub struct Known<T> {
    view: AccountView,
    name: PhantomData<T>,
}

impl<T: KnownAddress> Checked for Known<T> {
    #[inline(always)]
    fn check_address(account: &AccountView, _program_id: &Address) -> Result<(), Failure> {
        if account.address() == &T::ADDRESS { Ok(()) } else { Err(Failure::InvalidAccount) }
    }

    fn new(view: AccountView) -> Self {
        Known { view, name: PhantomData }
    }
}

impl<T> Deref for Known<T> {
    type Target = AccountView;

    fn deref(&self) -> &AccountView {
        &self.view
    }
}

/// This program.
pub struct ThisProgram(AccountView);

impl Checked for ThisProgram {
    #[inline(always)]
    fn check_address(account: &AccountView, program_id: &Address) -> Result<(), Failure> {
        if account.address() == program_id { Ok(()) } else { Err(Failure::InvalidAccount) }
    }

    fn new(view: AccountView) -> Self {
        ThisProgram(view)
    }
}

impl Deref for ThisProgram {
    type Target = AccountView;

    fn deref(&self) -> &AccountView {
        &self.0
    }
}

macro_rules! known_addresses {
    ($($Name:ident = $address:literal;)*) => {
        $(
            pub struct $Name;

            impl KnownAddress for $Name {
                const ADDRESS: Address = address!($address);
            }
        )*
    };
}

known_addresses! {
    SystemProgram = "11111111111111111111111111111111";
    AssociatedTokenProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
    DelegationProgram = "DELeGGvXpWV2fqJUhqcF5ZSYMS4JTLjteaAMARRSaeSh";
    PermissionProgram = "ACLseoPoyC3cBqoUtkbjZ4aDrkurZW86v19pXz2XQnp1";
    MagicProgram = "Magic11111111111111111111111111111111111111";
    MagicContext = "MagicContext1111111111111111111111111111111";
    EphemeralVault = "MagicVau1t999999999999999999999999999999999";
    InstructionsSysvar = "Sysvar1nstructions1111111111111111111111111";
}

/// An instruction's accounts in order. `parse` refuses any other number of them, then checks 1 signers, 2 what is written, 3 programs and
/// other known addresses, 4 owners and kinds. How the accounts hang together is the instruction's own rule.
///
/// Before the struct: `selector`, the first byte of the instruction's data, and `remaining`, a name for the accounts behind (with
/// `writable` if all are written; else clients put them there themselves). Before an account: `signer`, `writable`, and what only clients need, to find the account by themselves: `seeds(name = account)` where a seed of
/// its address is called otherwise here, and `default(account)` or `default(program)`: this one.
macro_rules! accounts {
    (
        $(#[selector($selector:literal)])?
        $(#[remaining($rest:ident $(, $all:ident)?)])?
        pub struct Accounts $(<$life:lifetime>)? {
            $($(#[$role:ident $($rule:tt)*])* $account:ident: $Type:ty,)*
        }
    ) => {
        #[allow(dead_code, reason = "some are only checked")]
        pub struct Accounts $(<$life>)? {
            $(pub $account: $Type,)*
            $(pub $rest: &$life mut [pinocchio::AccountView],)?
        }

        $(pub const SELECTOR: u8 = $selector;)?

        impl $(<$life>)? Accounts $(<$life>)? {
            #[inline(always)]
            pub fn parse(
                accounts: &$($life)? mut [pinocchio::AccountView],
                program_id: &pinocchio::Address,
            ) -> Result<Self, pinocchio::error::ProgramError> {
                use crate::context::Checked;
                let [$($account,)* $($rest @ ..)?] = accounts else {
                    return Err(crate::context::wrong_number(accounts.len(), [$(stringify!($account)),*].len()));
                };
                $($(crate::context::check_signer!($role, $account);)*)*
                $($(crate::context::check_writable!($role, $account);)*)*
                $(<$Type>::check_address($account, program_id)?;)*
                $(<$Type>::check_owner($account, program_id)?;)*
                Ok(Accounts { $($account: <$Type>::new(*$account),)* $($rest,)? })
            }
        }
    };
}

/// What is said when an instruction is given another number of accounts than it takes.
#[cold]
pub fn wrong_number(given: usize, taken: usize) -> ProgramError {
    if given < taken { ProgramError::NotEnoughAccountKeys } else { Failure::SurplusAccounts.into() }
}

macro_rules! check_signer {
    (signer, $account:ident) => {
        if !$account.is_signer() {
            return Err(pinocchio::error::ProgramError::MissingRequiredSignature);
        }
    };
    ($other:ident, $account:ident) => {};
}

macro_rules! check_writable {
    (writable, $account:ident) => {
        if !$account.is_writable() {
            return Err(crate::errors::Failure::InvalidAccount.into());
        }
    };
    ($other:ident, $account:ident) => {};
}

pub(crate) use {accounts, check_signer, check_writable};
