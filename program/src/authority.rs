//! Who may act for a recipient: they themselves, or a key that they have authorised in the same transaction. The layer asks the base
//! ledger for every account that a transaction names, so a recipient who signed as one would be seen there.

use crate::{
    context::{InstructionsSysvar, Known},
    errors::Failure,
    hash::Hash,
    state::Recovery,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock, instructions::Instructions},
};

/// Verifies signatures that stand in the data of its instructions; a wrong one fails the transaction.
const ED25519_PROGRAM: Address = Address::from_str_const("Ed25519SigVerify111111111111111111111111111");

/// How an instruction with one signature begins, whose parts all lie in its own data: the count, a byte of padding, then place and
/// instruction (`u16::MAX`: this one) of signature, public key and message, and the message's length.
const HEADER: [u8; 16] = {
    let mut header = [0xff; 16];
    (header[0], header[1]) = (1, 0);
    (header[2], header[3]) = (SIGNATURE_AT, 0);
    (header[6], header[7]) = (PUBLIC_KEY_AT, 0);
    (header[10], header[11]) = (MESSAGE_AT, 0);
    (header[12], header[13]) = (MESSAGE_LENGTH, 0);
    header
};
const PUBLIC_KEY_AT: u8 = 16;
const SIGNATURE_AT: u8 = 48;
const MESSAGE_AT: u8 = 112;
const MESSAGE_LENGTH: u8 = 136;

/// What a recipient signs begins with one of these; then what it is about, and the unix second until which it holds. The first byte
/// stands in no UTF-8 text and begins no ledger's transaction, so nothing else that anybody has them sign can be taken for it.
type Domain = [u8; 32];
/// Then program, personal account and key.
const ACTS: &Domain = b"\xffpayouts: this key acts for me: ";
/// Then program, owner and 32 zero bytes.
const READS: &Domain = b"\xffpayouts: show me this balance: ";

/// Whoever asks has a signature of the recipient's that shows them the balance of this owner, until a time that has not passed.
pub fn check_reader(
    instructions_sysvar: &Known<InstructionsSysvar>,
    recipient: &Address,
    program_id: &Address,
    owner: &Hash,
) -> Result<(), ProgramError> {
    let expected = [READS, program_id.as_array(), owner, &[0; 32]];
    check_signed(instructions_sysvar, recipient, &expected, Failure::NotRecipient)
}

/// The instruction right before this one holds the recipient's signature over the parts, and its time has not passed.
#[inline(never)]
fn check_signed(
    sysvar: &Known<InstructionsSysvar>,
    owner: &Address,
    parts: &[&[u8; 32]; 4],
    otherwise: Failure,
) -> ProgramResult {
    let expires_at = signed_until(sysvar, owner, parts).ok_or(otherwise)?;
    if Clock::get()?.unix_timestamp > expires_at {
        return Err(Failure::AuthorisationExpired.into());
    }
    Ok(())
}

/// Unix seconds; nothing where there is no such signature.
fn signed_until(sysvar: &Known<InstructionsSysvar>, recipient: &Address, expected: &[&[u8; 32]; 4]) -> Option<i64> {
    let instructions = Instructions::try_from(&**sysvar).ok()?;
    let before = instructions.get_instruction_relative(-1).ok()?;
    if before.get_program_id() != &ED25519_PROGRAM {
        return None;
    }
    let (header, rest) = before.get_instruction_data().split_first_chunk::<16>()?;
    let (public_key, rest) = rest.split_first_chunk::<32>()?;
    let (_verified, message) = rest.split_first_chunk::<64>()?;
    let (terms, expires_at) = message.split_last_chunk::<8>()?;
    let (parts, surplus) = terms.as_chunks::<32>();
    let is_theirs = header == &HEADER
        && public_key == recipient.as_array()
        && surplus.is_empty()
        && parts.len() == expected.len()
        && parts.iter().zip(expected).all(|(part, expected)| part == *expected);
    is_theirs.then(|| i64::from_le_bytes(*expires_at))
}

/// Whoever acts on a balance: one struct, because the machine passes five arguments at most.
pub struct Authority<'a> {
    pub signer: &'a AccountView,
    pub instructions_sysvar: &'a Known<InstructionsSysvar>,
    pub balance: &'a Address,
    pub program_id: &'a Address,
}

impl Authority<'_> {
    /// Who signed is the recipient, or the instruction right before this one holds the recipient's signature that it acts for them on
    /// this balance, until a time that has not passed.
    pub fn check(&self, recipient: &Address) -> Result<(), ProgramError> {
        self.check_as(recipient, Failure::NotRecipient)
    }

    /// The same for whoever recovers the balance.
    #[inline(never)]
    pub fn check_recovery(&self, recovery: &Recovery) -> Result<(), ProgramError> {
        let wallet = recovery.wallet;
        // Nobody's address: the wallet was removed.
        if wallet == Address::default() {
            return Err(Failure::NotRecoveryWallet.into());
        }
        self.check_as(&wallet, Failure::NotRecoveryWallet)
    }

    #[inline(never)]
    fn check_as(&self, owner: &Address, otherwise: Failure) -> Result<(), ProgramError> {
        if self.signer.address() == owner {
            return Ok(());
        }
        let expected = [ACTS, self.program_id.as_array(), self.balance.as_array(), self.signer.address().as_array()];
        check_signed(self.instructions_sysvar, owner, &expected, otherwise)
    }
}
