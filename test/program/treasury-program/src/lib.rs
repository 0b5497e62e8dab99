//! A double of Squads' multisig program v4, for tests: its licence lets nobody ship it here, and its build needs another toolchain. It reads what
//! `@sqds/multisig` writes, keeps its accounts in that package's layouts and answers with its errors. It knows what a member does with
//! a transaction of a vault: create, propose, approve, reject, execute. Multisigs themselves are set in place by tests.
#![no_std]

mod bytes;
mod state;

use bytes::{Reader, Writer};
use core::mem::MaybeUninit;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer, invoke_signed_with_bounds},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    no_allocator, nostd_panic_handler, program_entrypoint,
    sysvars::{Sysvar, clock::Clock},
};
use pinocchio_system::create_account_with_minimum_balance_signed;
use state::{Error, Multisig, Proposal, Transaction};

program_entrypoint!(process);
no_allocator!();
nostd_panic_handler!();

const CREATE: [u8; 8] = [48, 250, 78, 168, 208, 226, 218, 211];
const PROPOSE: [u8; 8] = [220, 60, 73, 224, 30, 108, 79, 159];
const APPROVE: [u8; 8] = [144, 37, 164, 136, 188, 216, 42, 248];
const REJECT: [u8; 8] = [243, 62, 134, 156, 230, 106, 246, 135];
const EXECUTE: [u8; 8] = [194, 8, 161, 87, 153, 164, 25, 171];

const PREFIX: &[u8] = b"multisig";
const TRANSACTION: &[u8] = b"transaction";
const PROPOSAL: &[u8] = b"proposal";
const VAULT: &[u8] = b"vault";
/// Accounts of one call at most, and seeds of an address with its bump.
const MOST_ACCOUNTS: usize = 24;
const MOST_SEEDS: usize = 6;

#[inline(always)]
fn process(program_id: &Address, accounts: &mut [AccountView], data: &[u8]) -> ProgramResult {
    let (selector, rest) = data.split_first_chunk::<8>().ok_or(ProgramError::InvalidInstructionData)?;
    let mut arguments = Reader::new(rest);
    match *selector {
        CREATE => create(program_id, accounts, &mut arguments),
        PROPOSE => propose(program_id, accounts, &mut arguments),
        APPROVE => vote(program_id, accounts, true),
        REJECT => vote(program_id, accounts, false),
        EXECUTE => execute(program_id, accounts),
        _ => Err(ProgramError::InvalidInstructionData),
    }
}

#[inline(always)]
fn now() -> Result<i64, ProgramError> {
    Ok(Clock::get()?.unix_timestamp)
}

/// The bump of the address that seeds make, which is the account's.
#[inline(always)]
fn bump_of(account: &AccountView, seeds: &[&[u8]], program_id: &Address) -> Result<u8, ProgramError> {
    let (address, bump) = Address::try_find_program_address(seeds, program_id).ok_or(ProgramError::InvalidSeeds)?;
    if account.address() == &address { Ok(bump) } else { Err(ProgramError::InvalidSeeds) }
}

/// An account that is made at an address of this program.
struct New<'a> {
    account: &'a mut AccountView,
    payer: &'a AccountView,
    program_id: &'a Address,
    seeds: &'a [&'a [u8]],
    bump: u8,
}

impl New<'_> {
    #[inline(always)]
    fn write(self, bytes: &[u8]) -> ProgramResult {
        let bump = [self.bump];
        let seeds: [Seed; MOST_SEEDS] =
            core::array::from_fn(|place| Seed::from(self.seeds.get(place).copied().unwrap_or(&bump)));
        let signer = Signer::from(seeds.get(..=self.seeds.len()).ok_or(ProgramError::InvalidSeeds)?);
        let size = bytes.len();
        create_account_with_minimum_balance_signed(self.account, size, self.program_id, self.payer, None, &[signer])?;
        write(self.account, 0, bytes)
    }
}

#[inline(always)]
fn write(account: &mut AccountView, at: usize, bytes: &[u8]) -> ProgramResult {
    let mut data = account.try_borrow_mut()?;
    let end = at.saturating_add(bytes.len());
    data.get_mut(at..end).ok_or(ProgramError::AccountDataTooSmall)?.copy_from_slice(bytes);
    Ok(())
}

/// Accounts: multisig (written), transaction (written), creator (signs), rent payer (signs, written), system program.
#[inline(never)]
fn create(program_id: &Address, accounts: &mut [AccountView], arguments: &mut Reader) -> ProgramResult {
    let [multisig_account, account, creator, payer, ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let multisig = Multisig::of_member(multisig_account, creator, state::INITIATE, program_id)?;
    let vault_index = [arguments.byte()?];
    if arguments.byte()? != 0 {
        return Err(ProgramError::InvalidInstructionData);
    }
    arguments.u32()?;
    let address = *multisig_account.address();
    let index = multisig.transactions.saturating_add(1);
    let vault: [&[u8]; 4] = [PREFIX, address.as_ref(), VAULT, &vault_index];
    let (_, vault_bump) = Address::try_find_program_address(&vault, program_id).ok_or(ProgramError::InvalidSeeds)?;
    let number = index.to_le_bytes();
    let seeds: [&[u8]; 4] = [PREFIX, address.as_ref(), TRANSACTION, &number];
    let bump = bump_of(account, &seeds, program_id)?;

    let mut bytes = Writer::new();
    Transaction::begin(&mut bytes, &address, creator.address(), index)?;
    bytes.put(&[bump, vault_index[0], vault_bump])?;
    bytes.count(0)?;
    state::keep_message(&mut bytes, arguments)?;
    New { account, payer, program_id, seeds: &seeds, bump }.write(bytes.filled_to(0))?;
    write(multisig_account, state::COUNTED_AT, &number)
}

/// Accounts: multisig, proposal (written), creator (signs), rent payer (signs, written), system program.
#[inline(never)]
fn propose(program_id: &Address, accounts: &mut [AccountView], arguments: &mut Reader) -> ProgramResult {
    let [multisig_account, account, creator, payer, ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    // Whoever may vote may open the vote on what somebody else has created.
    let multisig = Multisig::of_member(multisig_account, creator, state::INITIATE | state::VOTE, program_id)?;
    let index = arguments.u64()?;
    if arguments.byte()? != 0 || index > multisig.transactions {
        return Err(Error::InvalidTransactionIndex.into());
    }
    multisig.check_current(index)?;
    let address = *multisig_account.address();
    let number = index.to_le_bytes();
    let seeds: [&[u8]; 5] = [PREFIX, address.as_ref(), TRANSACTION, &number, PROPOSAL];
    let bump = bump_of(account, &seeds, program_id)?;
    let mut bytes = Writer::new();
    Proposal::new(index, now()?, bump).write(&mut bytes, &address)?;
    New { account, payer, program_id, seeds: &seeds, bump }
        .write(bytes.filled_to(state::proposal_room(multisig.members)))
}

/// Writes a proposal that is there.
#[inline(never)]
fn save(account: &mut AccountView, proposal: &Proposal, multisig: &Address) -> ProgramResult {
    let mut bytes = Writer::new();
    proposal.write(&mut bytes, multisig)?;
    write(account, 0, bytes.filled_to(0))
}

/// Accounts: multisig, member (signs, written), proposal (written).
#[inline(never)]
fn vote(program_id: &Address, accounts: &mut [AccountView], is_for: bool) -> ProgramResult {
    let [multisig_account, member, account, ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let multisig = Multisig::of_member(multisig_account, member, state::VOTE, program_id)?;
    let mut proposal = Proposal::of(account, multisig_account, program_id)?;
    if proposal.status != state::ACTIVE {
        return Err(Error::InvalidProposalStatus.into());
    }
    multisig.check_current(proposal.index)?;
    let key = *member.address();
    if is_for {
        if proposal.approved.all().contains(&key) {
            return Err(Error::AlreadyApproved.into());
        }
        proposal.rejected = proposal.rejected.without(&key)?;
        proposal.approved.add(key)?;
        if proposal.approved.count >= usize::from(multisig.threshold) {
            (proposal.status, proposal.since) = (state::APPROVED, now()?);
        }
    } else {
        if proposal.rejected.all().contains(&key) {
            return Err(Error::AlreadyRejected.into());
        }
        proposal.approved = proposal.approved.without(&key)?;
        proposal.rejected.add(key)?;
        if proposal.rejected.count >= multisig.cutoff() {
            (proposal.status, proposal.since) = (state::REJECTED, now()?);
        }
    }
    save(account, &proposal, multisig_account.address())
}

/// Accounts: multisig, proposal (written), transaction, member (signs), then the message's in its order.
#[inline(never)]
fn execute(program_id: &Address, accounts: &mut [AccountView]) -> ProgramResult {
    let [multisig_account, account, transaction, member, rest @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let multisig = Multisig::of_member(multisig_account, member, state::EXECUTE, program_id)?;
    let mut proposal = Proposal::of(account, multisig_account, program_id)?;
    let mut transaction = Transaction::of(transaction, multisig_account, program_id)?;
    if transaction.index != proposal.index {
        return Err(Error::TransactionNotMatchingProposal.into());
    }
    if proposal.status != state::APPROVED {
        return Err(Error::InvalidProposalStatus.into());
    }
    let now = now()?;
    if now.wrapping_sub(proposal.since) < i64::from(multisig.time_lock) {
        return Err(Error::TimeLockNotReleased.into());
    }
    (proposal.status, proposal.since) = (state::EXECUTED, now);
    save(account, &proposal, multisig_account.address())?;

    let (index, bump) = ([transaction.vault_index], [transaction.vault_bump]);
    let address = multisig_account.address();
    let vault = Address::create_program_address(&[PREFIX, address.as_ref(), VAULT, &index, &bump], program_id)
        .map_err(|_| ProgramError::InvalidSeeds)?;
    check_accounts(&transaction, rest, &vault)?;
    let seeds =
        [Seed::from(PREFIX), Seed::from(address.as_ref()), Seed::from(VAULT), Seed::from(&index), Seed::from(&bump)];
    for _ in 0..transaction.rest.u32()? {
        call(&mut transaction, rest, &seeds)?;
    }
    Ok(())
}

/// The accounts are the message's, in its order, and may be used as it says.
#[inline(never)]
fn check_accounts(transaction: &Transaction, accounts: &[AccountView], vault: &Address) -> ProgramResult {
    if accounts.len() != transaction.keys.len() / 32 {
        return Err(Error::InvalidNumberOfAccounts.into());
    }
    for (place, (account, key)) in accounts.iter().zip(transaction.keys.chunks_exact(32)).enumerate() {
        let is_unsigned = transaction.signs(place) && account.address() != vault && !account.is_signer();
        let is_locked = transaction.writes(place) && !account.is_writable();
        if account.address().as_ref() != key || is_unsigned || is_locked {
            return Err(Error::InvalidAccount.into());
        }
    }
    Ok(())
}

/// Makes the next call of a message; the vault signs where it says so.
#[inline(never)]
fn call(transaction: &mut Transaction, accounts: &[AccountView], seeds: &[Seed; 5]) -> ProgramResult {
    let program = usize::from(transaction.rest.byte()?);
    let program_id = accounts.get(program).ok_or(Error::InvalidTransactionMessage)?.address();
    let count = transaction.rest.u32()? as usize;
    let places = transaction.rest.take(count)?;
    let length = transaction.rest.u32()? as usize;
    let data = transaction.rest.take(length)?;
    let mut metas = [const { MaybeUninit::<InstructionAccount>::uninit() }; MOST_ACCOUNTS];
    let mut given = [const { MaybeUninit::<&AccountView>::uninit() }; MOST_ACCOUNTS];
    if count > MOST_ACCOUNTS {
        return Err(Error::InvalidNumberOfAccounts.into());
    }
    for ((place, meta), one) in places.iter().zip(&mut metas).zip(&mut given) {
        let place = usize::from(*place);
        let account = accounts.get(place).ok_or(Error::InvalidTransactionMessage)?;
        meta.write(InstructionAccount::new(account.address(), transaction.writes(place), transaction.signs(place)));
        one.write(account);
    }
    // SAFETY: the first `count` of both have been written.
    let (metas, given) = unsafe {
        (
            core::slice::from_raw_parts(metas.as_ptr().cast::<InstructionAccount>(), count),
            core::slice::from_raw_parts(given.as_ptr().cast::<&AccountView>(), count),
        )
    };
    let instruction = InstructionView { program_id, accounts: metas, data };
    invoke_signed_with_bounds::<MOST_ACCOUNTS, &AccountView>(&instruction, given, &[Signer::from(seeds)])
}
