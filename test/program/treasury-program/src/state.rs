//! Multisig, transaction and proposal, byte for byte as `@sqds/multisig` 2.1.4 reads them.

use crate::bytes::{Reader, Writer};
use pinocchio::{AccountView, Address, error::ProgramError};

const MULTISIG: [u8; 8] = [224, 116, 121, 186, 68, 161, 79, 236];
const TRANSACTION: [u8; 8] = [168, 250, 162, 100, 81, 14, 162, 207];
const PROPOSAL: [u8; 8] = [26, 94, 189, 187, 116, 136, 53, 33];
/// Where a multisig counts its transactions.
pub const COUNTED_AT: usize = 78;

#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Error {
    Unauthorized = 6004,
    NotAMember = 6005,
    InvalidTransactionMessage = 6006,
    StaleProposal = 6007,
    InvalidProposalStatus = 6008,
    InvalidTransactionIndex = 6009,
    AlreadyApproved = 6010,
    AlreadyRejected = 6011,
    InvalidNumberOfAccounts = 6013,
    InvalidAccount = 6014,
    TimeLockNotReleased = 6021,
    ProposalForAnotherMultisig = 6034,
    TransactionForAnotherMultisig = 6035,
    TransactionNotMatchingProposal = 6036,
}

impl From<Error> for ProgramError {
    fn from(error: Error) -> Self {
        ProgramError::Custom(error as u32)
    }
}

/// What a member may do, as a bit.
pub const INITIATE: u8 = 1;
pub const VOTE: u8 = 2;
pub const EXECUTE: u8 = 4;

pub const ACTIVE: u8 = 1;
pub const REJECTED: u8 = 2;
pub const APPROVED: u8 = 3;
pub const EXECUTED: u8 = 5;

/// An account's bytes behind its kind.
#[inline(always)]
fn read<'a>(account: &'a AccountView, kind: &[u8; 8], program_id: &Address) -> Result<Reader<'a>, ProgramError> {
    if !account.owned_by(program_id) {
        return Err(ProgramError::InvalidAccountOwner);
    }
    // SAFETY: nothing is written to an account while what was read of it is in use.
    match unsafe { account.borrow_unchecked() }.split_first_chunk::<8>() {
        Some((found, rest)) if found == kind => Ok(Reader::new(rest)),
        _ => Err(ProgramError::InvalidAccountData),
    }
}

pub struct Multisig {
    pub threshold: u16,
    /// Seconds.
    pub time_lock: u32,
    pub transactions: u64,
    /// Nobody votes on transactions up to this one: members or threshold have changed since.
    pub stale: u64,
    pub members: u32,
    voters: u32,
}

impl Multisig {
    /// A multisig of which a key is a member with one of these permissions.
    #[inline(never)]
    pub fn of_member(
        account: &AccountView,
        member: &AccountView,
        permissions: u8,
        program_id: &Address,
    ) -> Result<Self, ProgramError> {
        if !member.is_signer() {
            return Err(ProgramError::MissingRequiredSignature);
        }
        let mut reader = read(account, &MULTISIG, program_id)?;
        reader.take(64)?;
        let (threshold, time_lock, transactions) = (reader.u16()?, reader.u32()?, reader.u64()?);
        let stale = reader.u64()?;
        if reader.byte()? != 0 {
            reader.take(32)?;
        }
        reader.byte()?;
        let members = reader.u32()?;
        let (mut mask, mut voters) = (None, 0u32);
        for _ in 0..members {
            let (key, may) = (reader.take(32)?, reader.byte()?);
            if may & VOTE != 0 {
                voters = voters.wrapping_add(1);
            }
            if key == member.address().as_ref() {
                mask = Some(may);
            }
        }
        match mask {
            None => Err(Error::NotAMember.into()),
            Some(may) if may & permissions == 0 => Err(Error::Unauthorized.into()),
            Some(_) => Ok(Multisig { threshold, time_lock, transactions, stale, members, voters }),
        }
    }

    /// Whether a transaction can still be voted on.
    #[inline(always)]
    pub fn check_current(&self, index: u64) -> Result<(), Error> {
        if index > self.stale { Ok(()) } else { Err(Error::StaleProposal) }
    }

    /// How many rejections make it impossible that enough approve.
    #[inline(always)]
    pub fn cutoff(&self) -> usize {
        (self.voters as usize).saturating_sub(usize::from(self.threshold)).saturating_add(1)
    }
}

/// A transaction as it is kept; `rest`: its keys and what follows.
pub struct Transaction<'a> {
    pub index: u64,
    pub vault_index: u8,
    pub vault_bump: u8,
    pub header: [u8; 3],
    pub keys: &'a [u8],
    pub rest: Reader<'a>,
}

impl<'a> Transaction<'a> {
    #[inline(always)]
    pub fn of(account: &'a AccountView, multisig: &AccountView, program_id: &Address) -> Result<Self, ProgramError> {
        let mut reader = read(account, &TRANSACTION, program_id)?;
        let of = reader.take(32)?;
        reader.take(32)?;
        let index = reader.u64()?;
        reader.byte()?;
        let (vault_index, vault_bump, ephemeral) = (reader.byte()?, reader.byte()?, reader.u32()?);
        if of != multisig.address().as_ref() || ephemeral != 0 {
            return Err(Error::TransactionForAnotherMultisig.into());
        }
        let header = [reader.byte()?, reader.byte()?, reader.byte()?];
        let count = reader.u32()?;
        let keys = reader.take((count as usize).saturating_mul(32))?;
        Ok(Transaction { index, vault_index, vault_bump, header, keys, rest: reader })
    }

    #[inline(always)]
    pub fn signs(&self, place: usize) -> bool {
        place < usize::from(self.header[0])
    }

    #[inline(always)]
    pub fn writes(&self, place: usize) -> bool {
        match place.checked_sub(usize::from(self.header[0])) {
            None => place < usize::from(self.header[1]),
            Some(other) => other < usize::from(self.header[2]),
        }
    }

    /// Begins the bytes of a transaction: what its message says follows.
    #[inline(always)]
    pub fn begin(bytes: &mut Writer, multisig: &Address, creator: &Address, index: u64) -> Result<(), ProgramError> {
        bytes.put(&TRANSACTION)?;
        bytes.put(multisig.as_ref())?;
        bytes.put(creator.as_ref())?;
        bytes.put(&index.to_le_bytes())
    }
}

/// Writes a message as it is kept, with lengths of four bytes, from what an instruction has: lengths of one byte, of two for data. It looks
/// nothing up in tables.
#[inline(never)]
pub fn keep_message(bytes: &mut Writer, reader: &mut Reader) -> Result<(), ProgramError> {
    bytes.put(reader.take(3)?)?;
    let keys = usize::from(reader.byte()?);
    bytes.count(keys)?;
    bytes.put(reader.take(keys.saturating_mul(32))?)?;
    let calls = reader.byte()?;
    bytes.count(usize::from(calls))?;
    for _ in 0..calls {
        bytes.put(reader.take(1)?)?;
        let accounts = usize::from(reader.byte()?);
        bytes.count(accounts)?;
        bytes.put(reader.take(accounts)?)?;
        let length = usize::from(reader.u16()?);
        bytes.count(length)?;
        bytes.put(reader.take(length)?)?;
    }
    if reader.byte()? != 0 {
        return Err(Error::InvalidTransactionMessage.into());
    }
    bytes.count(0)
}

/// Most members of a multisig here.
const MOST: usize = 10;

pub struct Votes {
    keys: [Address; MOST],
    pub count: usize,
}

impl Votes {
    #[inline(always)]
    fn none() -> Self {
        Votes { keys: [Address::new_from_array([0; 32]); MOST], count: 0 }
    }

    #[inline(always)]
    pub fn all(&self) -> &[Address] {
        self.keys.get(..self.count).unwrap_or(&self.keys)
    }

    #[inline(always)]
    pub fn add(&mut self, key: Address) -> Result<(), ProgramError> {
        *self.keys.get_mut(self.count).ok_or(ProgramError::AccountDataTooSmall)? = key;
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    #[inline(always)]
    pub fn without(&self, key: &Address) -> Result<Votes, ProgramError> {
        let mut others = Votes::none();
        for other in self.all() {
            if other != key {
                others.add(*other)?;
            }
        }
        Ok(others)
    }
}

pub struct Proposal {
    pub index: u64,
    pub status: u8,
    /// Unix seconds.
    pub since: i64,
    pub bump: u8,
    pub approved: Votes,
    pub rejected: Votes,
}

impl Proposal {
    #[inline(always)]
    pub fn new(index: u64, since: i64, bump: u8) -> Self {
        Proposal { index, status: ACTIVE, since, bump, approved: Votes::none(), rejected: Votes::none() }
    }

    #[inline(never)]
    pub fn of(account: &AccountView, multisig: &AccountView, program_id: &Address) -> Result<Self, ProgramError> {
        let mut reader = read(account, &PROPOSAL, program_id)?;
        if reader.take(32)? != multisig.address().as_ref() {
            return Err(Error::ProposalForAnotherMultisig.into());
        }
        let (index, status, since, bump) = (reader.u64()?, reader.byte()?, reader.u64()?.cast_signed(), reader.byte()?);
        let mut proposal = Proposal { status, ..Proposal::new(index, since, bump) };
        for votes in [&mut proposal.approved, &mut proposal.rejected] {
            for _ in 0..reader.u32()? {
                votes.add(reader.address()?)?;
            }
        }
        Ok(proposal)
    }

    #[inline(never)]
    pub fn write(&self, bytes: &mut Writer, multisig: &Address) -> Result<(), ProgramError> {
        bytes.put(&PROPOSAL)?;
        bytes.put(multisig.as_ref())?;
        bytes.put(&self.index.to_le_bytes())?;
        bytes.put(&[self.status])?;
        bytes.put(&self.since.to_le_bytes())?;
        bytes.put(&[self.bump])?;
        for votes in [&self.approved, &self.rejected] {
            bytes.count(votes.count)?;
            for key in votes.all() {
                bytes.put(key.as_ref())?;
            }
        }
        bytes.count(0)
    }
}

/// Bytes of a proposal with room for every member's vote.
pub const fn proposal_room(members: u32) -> usize {
    (members as usize).saturating_mul(96).saturating_add(70)
}
