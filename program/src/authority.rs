//! Who may act for a recipient: they themselves, or a key that they have authorised in the same transaction. The layer asks the base
//! ledger for every account that a transaction names, so a recipient who signed as one would be seen there.

use crate::{
    context::{InstructionsSysvar, Known},
    errors::Failure,
    hash::Hash,
    state::Recovery,
    text,
};
use pinocchio::{
    AccountView, Address, ProgramResult,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock, instructions::Instructions},
};

/// Verifies signatures that stand in the data of its instructions; a wrong one fails the transaction.
const ED25519_PROGRAM: Address = Address::from_str_const("Ed25519SigVerify111111111111111111111111111");

const PUBLIC_KEY_AT: u8 = 16;
const SIGNATURE_AT: u8 = 48;
const MESSAGE_AT: u8 = 112;

/// How an instruction with one signature begins, whose parts all lie in its own data: the count, a byte of padding, then place and
/// instruction (`u16::MAX`: this one) of signature, public key and message, and the message's length.
fn header(message: &[u8]) -> Option<[u8; 16]> {
    let [low, high] = u16::try_from(message.len()).ok()?.to_le_bytes();
    let here = 0xff;
    #[rustfmt::skip]
    let header = [
        1, 0,
        SIGNATURE_AT, 0, here, here,
        PUBLIC_KEY_AT, 0, here, here,
        MESSAGE_AT, 0, low, high, here, here,
    ];
    Some(header)
}

/// What a recipient signs is a text that their wallet shows: these words, each with an address or a hash in base 58 behind it, then
/// `UNTIL` and a time. No other text that this project has anybody sign begins like one of them. It is no ledger's transaction either: read
/// as one, its fourth letter counts accounts, more of them than it has room for.
///
/// To act: key, personal account, program.
const ACTS: [&str; 3] = [
    "Payouts: let a key act for me on a private balance\n\n\
     Until the time below, the key can send that money to any wallet. Sign this only for what you have just asked for.\n\n\
     Key: ",
    "\nAccount: ",
    "\nProgram: ",
];
/// To be shown: owner, program.
const READS: [&str; 2] = [
    "Payouts: show a private balance\n\n\
     Until the time below, whoever has this signature sees that balance. Sign this only for what you have just asked for.\n\n\
     Owner: ",
    "\nProgram: ",
];
const UNTIL: &str = "\nUntil: ";

/// Whoever asks has a signature of the recipient's that shows them the balance of this owner, until a time that has not passed.
pub fn check_reader(
    instructions_sysvar: &Known<InstructionsSysvar>,
    recipient: &Address,
    program_id: &Address,
    owner: &Hash,
) -> Result<(), ProgramError> {
    let [of_owner, of_program] = READS;
    let says = [(of_owner, owner), (of_program, program_id.as_array())];
    Text { signer: recipient, says: &says }.check(instructions_sysvar, Failure::NotRecipient)
}

/// A text that somebody has to have signed: its words, and what stands behind them.
struct Text<'a> {
    signer: &'a Address,
    says: &'a [(&'static str, &'a [u8; 32])],
}

impl Text<'_> {
    /// The instruction right before this one holds the signature, and its time has not passed.
    #[inline(never)]
    fn check(&self, sysvar: &Known<InstructionsSysvar>, otherwise: Failure) -> ProgramResult {
        let expires_at = self.signed_until(sysvar).ok_or(otherwise)?;
        if Clock::get()?.unix_timestamp > expires_at {
            return Err(Failure::AuthorisationExpired.into());
        }
        Ok(())
    }

    /// Unix seconds; nothing where there is no such signature.
    fn signed_until(&self, sysvar: &Known<InstructionsSysvar>) -> Option<i64> {
        let instructions = Instructions::try_from(&**sysvar).ok()?;
        let before = instructions.get_instruction_relative(-1).ok()?;
        if before.get_program_id() != &ED25519_PROGRAM {
            return None;
        }
        let (found, rest) = before.get_instruction_data().split_first_chunk::<16>()?;
        let (public_key, rest) = rest.split_first_chunk::<32>()?;
        let (_verified, message) = rest.split_first_chunk::<64>()?;
        let (terms, expires_at) = message.split_last_chunk::<{ text::TIME }>()?;
        let is_theirs = found == &header(message)? && public_key == self.signer.as_array() && self.begins(terms);
        if is_theirs { text::read_time(expires_at) } else { None }
    }

    /// Whether these are its letters up to the time.
    fn begins(&self, terms: &[u8]) -> bool {
        let rest = self
            .says
            .iter()
            .try_fold(terms, |rest, (words, value)| text::strip_base58(text::strip(rest, words.as_bytes())?, value));
        rest == Some(UNTIL.as_bytes())
    }
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
        let [of_key, of_balance, of_program] = ACTS;
        let says = [
            (of_key, self.signer.address().as_array()),
            (of_balance, self.balance.as_array()),
            (of_program, self.program_id.as_array()),
        ];
        Text { signer: owner, says: &says }.check(self.instructions_sysvar, otherwise)
    }
}
