//! The delegation program: how an account of this program is handed to the execution layer, and taken back.

use crate::{
    accounts,
    context::{DelegationProgram, KnownAddress},
    data::Writer,
    errors::Failure,
    prelude::Creation,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer, invoke_signed},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
};

/// First seed of the account, this program's own, that holds an account's bytes while it is handed over.
const BUFFER_SEED: &[u8] = b"buffer";
/// First seed of the account, the delegation program's own, that holds the bytes that come back.
const RETURN_BUFFER_SEED: &[u8] = b"undelegate-buffer";
/// The delegation program's instruction `delegate`, of its API crate 4.0.1.
const DELEGATE: u64 = 0;
/// The layer commits when it is told to, not by the clock. Milliseconds.
const NO_COMMITS: u32 = u32::MAX;
/// Seeds that an account of this program has which can be delegated: its kind's name and an address.
const SEEDS: usize = 2;
/// Most bytes of such a name.
const LONGEST_NAME: usize = 16;
/// Most bytes of the instruction's data.
const DELEGATE_DATA: usize = 8 + 4 + 4 + 4 + LONGEST_NAME + 4 + 32 + 1 + 32;

/// The account belongs to the delegation program: it is in the execution layer's hands.
pub fn check_delegated(account: &AccountView) -> Result<(), Failure> {
    if account.owned_by(&DelegationProgram::ADDRESS) { Ok(()) } else { Err(Failure::InvalidAccount) }
}

/// An account of this program to be delegated: one struct, because the machine passes five arguments at most.
pub struct Delegate<'a> {
    /// The execution layer's validator: nobody else may change the account meanwhile.
    pub validator: Address,
    /// Seeds of the account's address without the bump.
    pub seeds: &'a [&'a [u8]; SEEDS],
    pub bump: u8,
    pub payer: AccountView,
    pub account: AccountView,
    pub owner_program: AccountView,
    pub buffer: AccountView,
    pub delegation_record: AccountView,
    pub delegation_metadata: AccountView,
    pub system_program: AccountView,
}

impl Delegate<'_> {
    /// Hands the account to the execution layer. Lamports that somebody has sent to the buffer go to the payer.
    #[inline(never)]
    pub fn invoke(mut self) -> ProgramResult {
        let size = self.account.data_len();
        let (payer, program_id) = (&self.payer, self.owner_program.address());
        let seeds = [BUFFER_SEED, self.account.address().as_ref()];
        Creation { payer, program_id, seeds: &seeds, size }.without_rent(&mut self.buffer)?;
        move_bytes(&mut self.account, &mut self.buffer)?;
        // SAFETY: nothing refers to the account's owner.
        unsafe { self.account.assign(&DelegationProgram::ADDRESS) };
        self.call()?;
        accounts::close(&mut self.buffer, &mut self.payer)
    }

    /// Has the delegation program take the account and fill it from the buffer.
    #[inline(never)]
    fn call(&self) -> ProgramResult {
        let [name, address] = self.seeds;
        let mut data = Writer::<DELEGATE_DATA>::new();
        data.bytes(&DELEGATE.to_le_bytes());
        data.bytes(&NO_COMMITS.to_le_bytes());
        data.bytes(&(SEEDS as u32).to_le_bytes());
        for seed in [name, address] {
            data.bytes(&(seed.len() as u32).to_le_bytes());
            data.bytes(seed);
        }
        data.bytes(&[1]); // a validator follows
        data.bytes(self.validator.as_ref());
        let bump = [self.bump];
        let seeds = [Seed::from(*name), Seed::from(*address), Seed::from(&bump)];
        let Delegate { payer, account, owner_program, buffer, delegation_record, delegation_metadata, .. } = self;
        invoke_signed(
            &InstructionView {
                program_id: &DelegationProgram::ADDRESS,
                data: data.written(),
                accounts: &[
                    InstructionAccount::writable_signer(payer.address()),
                    InstructionAccount::writable_signer(account.address()),
                    InstructionAccount::readonly(owner_program.address()),
                    InstructionAccount::writable(buffer.address()),
                    InstructionAccount::writable(delegation_record.address()),
                    InstructionAccount::writable(delegation_metadata.address()),
                    InstructionAccount::readonly(self.system_program.address()),
                ],
            },
            &[payer, account, owner_program, buffer, delegation_record, delegation_metadata, &self.system_program],
            &[Signer::from(&seeds)],
        )
    }
}

/// Creates an account again that comes back, with the bytes that lie in the delegation program's buffer, whose signature says that it is
/// the delegation program who calls.
pub fn restore<const N: usize>(
    account: &mut AccountView,
    buffer: &AccountView,
    creation: &Creation<N>,
) -> ProgramResult {
    if !buffer.is_signer() {
        return Err(ProgramError::MissingRequiredSignature);
    }
    check_delegated(buffer)?;
    accounts::derived(buffer, &[RETURN_BUFFER_SEED, account.address().as_ref()], &DelegationProgram::ADDRESS)?;
    creation.invoke(account)?;
    copy_bytes(buffer, account)
}

/// Moves all bytes to another account of the same length, and leaves zeros.
fn move_bytes(from: &mut AccountView, to: &mut AccountView) -> ProgramResult {
    copy_bytes(from, to)?;
    from.try_borrow_mut()?.fill(0);
    Ok(())
}

fn copy_bytes(from: &AccountView, to: &mut AccountView) -> ProgramResult {
    let from = from.try_borrow()?;
    let mut to = to.try_borrow_mut()?;
    if from.len() != to.len() {
        return Err(Failure::InvalidAccount.into());
    }
    to.copy_from_slice(&from);
    Ok(())
}
