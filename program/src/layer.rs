//! The execution layer: what this program asks of the Magic program there.

use crate::{
    accounts, amount,
    context::{
        Account, AssociatedTokenProgram, EphemeralVault, InstructionsSysvar, Known, KnownAddress, MagicContext,
        MagicProgram, SystemProgram,
    },
    data::Writer,
    errors::Failure,
    instructions::pay_out,
    sponsor,
    state::{Page, Pool},
    withdrawal::{MAX_PROOF, Withdrawal, WithdrawalProof},
};
use ephemeral_rollups_pinocchio::ephemeral_accounts::EphemeralAccount as Ephemeral;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer, invoke_signed},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    sysvars::{
        get_sysvar,
        rent::{ACCOUNT_STORAGE_OVERHEAD, RENT_ID},
    },
};

/// First seed of an escrow of the delegation program.
pub const ESCROW_SEED: &[u8] = b"balance";
/// The pool's escrow is the first of its authority.
pub const ESCROW_INDEX: u8 = 0;
/// Limit for one `pay_out` with creation of a token account and of a page.
const PAY_OUT_COMPUTE_UNITS: u32 = 150_000;
/// Magic program's instruction that schedules actions on the base. Layout: bincode 1 of `MagicIntentBundleArgs` in
/// MagicBlock's ephemeral rollups SDK 0.17 (whose own builder doesn't compile for this target's five arguments).
const SCHEDULE_INTENT_BUNDLE: u32 = 11;
/// Bytes of `pay_out`'s data without the hashes of its proof.
const PAY_OUT_DATA: usize = 1 + 8 + 8 + 4 + 16 + 2;
/// Bytes of that instruction for one `pay_out` at most.
const PAY_OUT_ACTION: usize = 4 + 4 + 8 + 1 + 8 + PAY_OUT_DATA + 32 * MAX_PROOF + 4 + 1 + 32 + 8 + 12 * 33;

/// Lamports of an ephemeral account: 32 a byte, and 60 bytes for any account.
pub const fn rent(bytes: usize) -> u64 {
    32u64.saturating_mul((bytes as u64).saturating_add(60))
}

/// Least lamports of whoever pays so many: its own rent stays, which the layer demands at the end of a transaction.
pub fn least_to_pay(sponsor: &AccountView, price: u64) -> Result<u64, ProgramError> {
    let bytes = ACCOUNT_STORAGE_OVERHEAD.saturating_add(sponsor.data_len() as u64);
    Ok(amount::mul(own_rent_per_byte()?, bytes)?.saturating_add(price))
}

/// Lamports that the layer demands for each byte of an account that isn't ephemeral. Its rent sysvar may have the form before SIMD-0194, of
/// which pinocchio's `Rent` takes half for all: lamports of a byte and a year, and two years.
#[inline(never)]
fn own_rent_per_byte() -> Result<u64, ProgramError> {
    const TWO_YEARS: [u8; 8] = 2f64.to_le_bytes();
    let mut sysvar = [[0; 8]; 2];
    get_sysvar(sysvar.as_flattened_mut(), &RENT_ID, 0)?;
    let [lamports, years] = sysvar;
    let lamports = u64::from_le_bytes(lamports);
    Ok(if years == TWO_YEARS { lamports.saturating_add(lamports) } else { lamports })
}

/// An ephemeral account, and who pays for it: one struct, because the machine passes five arguments at most.
pub struct EphemeralAccount<'a> {
    /// A delegated account of this program.
    pub sponsor: &'a AccountView,
    pub sponsor_seeds: &'a [Seed<'a>],
    pub ephemeral_vault: &'a Known<EphemeralVault>,
    pub magic_program: &'a Known<MagicProgram>,
}

impl EphemeralAccount<'_> {
    /// Creates an account of so many zero bytes, which signs by its seeds.
    #[inline(always)]
    pub fn create(&self, account: &AccountView, seeds: &[Seed], bytes: usize) -> ProgramResult {
        if self.sponsor.lamports() < least_to_pay(self.sponsor, rent(bytes))? {
            return Err(Failure::SponsorShort.into());
        }
        let signers = [Signer::from(self.sponsor_seeds), Signer::from(seeds)];
        self.of(account).with_signers(&signers).create(bytes as u32)
    }

    /// Closes an account; its rent goes back to the sponsor.
    #[inline(never)]
    pub fn close(&self, account: &AccountView) -> ProgramResult {
        let signers = [Signer::from(self.sponsor_seeds)];
        self.of(account).with_signers(&signers).close()
    }

    fn of<'a>(&'a self, account: &'a AccountView) -> Ephemeral<'a> {
        Ephemeral::new(self.sponsor, account, self.ephemeral_vault, self.magic_program)
    }
}

/// A payment that the base ledger is asked to make from the pool.
pub struct PayOut<'a> {
    pub program_id: &'a Address,
    pub payer: &'a AccountView,
    pub pool: &'a Account<Pool>,
    /// Address of the config.
    pub config: &'a Address,
    pub magic_context: &'a Known<MagicContext>,
    pub withdrawal: &'a Withdrawal<'a>,
    pub proven: &'a WithdrawalProof<'a>,
}

impl PayOut<'_> {
    /// Schedules the base action. Nothing in it names an employer, a schedule, a window or the balance.
    #[inline(never)]
    pub fn schedule(&self) -> ProgramResult {
        let PayOut { payer, pool, magic_context, .. } = self;
        let action = self.action()?;
        let bump = [pool.header.bump];
        let seeds = Pool::signer_seeds(pool.mint.as_ref(), &bump);
        invoke_signed(
            &InstructionView {
                program_id: &MagicProgram::ADDRESS,
                data: action.written(),
                accounts: &[
                    InstructionAccount::writable_signer(payer.address()),
                    InstructionAccount::writable(magic_context.address()),
                    InstructionAccount::readonly_signer(pool.address()),
                ],
            },
            &[*payer, &***magic_context, &pool.view],
            &[(&seeds).into()],
        )
    }

    #[inline(always)]
    fn action(&self) -> Result<Writer<PAY_OUT_ACTION>, Failure> {
        let mint = &self.pool.mint;
        let Withdrawal { number, amount, wallet } = *self.withdrawal;
        let WithdrawalProof { index, blind, proof } = *self.proven;
        let page_number = Page::of(number)?.to_le_bytes();
        let (page, _) = accounts::find(&Page::seeds(mint.as_ref(), &page_number), self.program_id)?;
        let token_seeds = [wallet.as_ref(), self.pool.token_program.as_ref(), mint.as_ref()];
        let (wallet_token, _) = accounts::find(&token_seeds, &AssociatedTokenProgram::ADDRESS)?;
        let (sponsor, _) = sponsor::find(mint, self.program_id)?;

        let mut action = Writer::new();
        action.bytes(&SCHEDULE_INTENT_BUNDLE.to_le_bytes());
        action.bytes(&[0; 4]); // no commit, no commit and undelegate, and their two kinds to come
        action.bytes(&1u64.to_le_bytes()); // one action
        action.bytes(&[ESCROW_INDEX]);
        let hashes = proof.as_flattened();
        action.bytes(&(PAY_OUT_DATA.wrapping_add(hashes.len()) as u64).to_le_bytes()); // bytes of the handler's data
        action.bytes(&[pay_out::SELECTOR]);
        action.bytes(&number.to_le_bytes());
        action.bytes(&amount.to_le_bytes());
        action.bytes(&index.to_le_bytes());
        action.bytes(blind);
        action.bytes(&(proof.len() as u16).to_le_bytes());
        action.bytes(hashes);
        action.bytes(&PAY_OUT_COMPUTE_UNITS.to_le_bytes());
        action.bytes(&[2]); // the escrow's authority among this call's accounts: the pool
        action.bytes(self.program_id.as_ref());
        action.bytes(&12u64.to_le_bytes()); // accounts of `pay_out`; the delegation program appends three
        action.account(self.pool.address(), true);
        action.account(&self.pool.token_account, true);
        action.account(mint, false);
        action.account(wallet, false);
        action.account(&wallet_token, true);
        action.account(&page, true);
        action.account(&sponsor, true);
        action.account(self.config, false);
        action.account(&InstructionsSysvar::ADDRESS, false);
        action.account(&self.pool.token_program, false);
        action.account(&AssociatedTokenProgram::ADDRESS, false);
        action.account(&SystemProgram::ADDRESS, false);
        Ok(action)
    }
}
