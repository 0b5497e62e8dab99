//! The execution layer: what this program asks of the Magic program there.

use crate::{
    context::{
        Account, AssociatedTokenProgram, EphemeralVault, InstructionsSysvar, Known, KnownAddress, MagicContext,
        MagicProgram, SystemProgram,
    },
    data::Writer,
    errors::Failure,
    instructions::pay_out,
    sponsor,
    state::{Page, Pool, State},
    withdrawal::{MAX_PROOF, Withdrawal, WithdrawalProof},
};
use core::marker::PhantomData;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{CpiAccount, Seed, Signer, invoke_signed, invoke_signed_unchecked},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    sysvars::{Sysvar, rent::Rent},
};

/// First seed of an escrow of the delegation program.
pub const ESCROW_SEED: &[u8] = b"balance";
/// The pool's escrow is the first of its authority.
pub const ESCROW_INDEX: u8 = 0;
/// Magic program's instruction that creates an ephemeral account, of the same SDK.
const CREATE_EPHEMERAL: u32 = 12;
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
    Ok(Rent::get()?.try_minimum_balance(sponsor.data_len())?.saturating_add(price))
}

/// Creation of accounts of one kind in the execution layer. What all creations of a transaction share is laid out once: it is the
/// greatest part of what a new recipient costs in compute units, beside the call itself.
pub struct CreateEphemeral<'a, T> {
    magic_program: &'a Known<MagicProgram>,
    metas: [InstructionAccount<'a>; 3],
    accounts: [CpiAccount<'a>; 3],
    sponsor: &'a AccountView,
    sponsor_seeds: &'a [Seed<'a>],
    /// Least lamports of the sponsor before a creation; 0: not yet known.
    needed: u64,
    kind: PhantomData<T>,
}

impl<'a, T: State> CreateEphemeral<'a, T> {
    const DATA: [u8; 8] = {
        let [a, b, c, d] = CREATE_EPHEMERAL.to_le_bytes();
        let [e, f, g, h] = (size_of::<T>() as u32).to_le_bytes();
        [a, b, c, d, e, f, g, h]
    };

    /// `sponsor` is the delegated account that pays the rent; its seeds sign.
    pub fn new(
        sponsor: &'a AccountView,
        ephemeral_vault: &'a Known<EphemeralVault>,
        magic_program: &'a Known<MagicProgram>,
        sponsor_seeds: &'a [Seed<'a>],
    ) -> Self {
        CreateEphemeral {
            magic_program,
            metas: [
                InstructionAccount::writable_signer(sponsor.address()),
                InstructionAccount::writable_signer(sponsor.address()),
                InstructionAccount::writable(ephemeral_vault.address()),
            ],
            accounts: [CpiAccount::from(sponsor), CpiAccount::from(sponsor), CpiAccount::from(&**ephemeral_vault)],
            sponsor,
            sponsor_seeds,
            needed: 0,
            kind: PhantomData,
        }
    }

    /// Whether the sponsor can pay for one more.
    #[inline(always)]
    pub fn can_pay(&mut self) -> Result<bool, ProgramError> {
        if self.needed == 0 {
            self.needed = least_to_pay(self.sponsor, rent(size_of::<T>()))?;
        }
        Ok(self.sponsor.lamports() >= self.needed)
    }

    /// Creates an account; it and the sponsor sign by their seeds.
    #[inline(always)]
    pub fn invoke(&mut self, account: &'a AccountView, seeds: &[Seed]) {
        self.metas[1].address = account.address();
        self.accounts[1] = CpiAccount::from(account);
        let instruction =
            InstructionView { program_id: self.magic_program.address(), data: &Self::DATA, accounts: &self.metas };
        // SAFETY: the caller's references into the sponsor are raw bytes to the machine; the Magic program changes its lamports
        // alone, which nothing refers to.
        unsafe {
            invoke_signed_unchecked(
                &instruction,
                &self.accounts,
                &[Signer::from(self.sponsor_seeds), Signer::from(seeds)],
            )
        };
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
        let page = find(&Page::seeds(mint.as_ref(), &page_number), self.program_id)?;
        let token_seeds = [wallet.as_ref(), self.pool.token_program.as_ref(), mint.as_ref()];
        let wallet_token = find(&token_seeds, &AssociatedTokenProgram::ADDRESS)?;
        let sponsor = find(&sponsor::seeds(mint), self.program_id)?;

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

fn find(seeds: &[&[u8]], program_id: &Address) -> Result<Address, Failure> {
    let (address, _) = Address::try_find_program_address(seeds, program_id).ok_or(Failure::InvalidAddress)?;
    Ok(address)
}
