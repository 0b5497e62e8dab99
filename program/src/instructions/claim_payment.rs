//! Execution layer. Verifies a range of leaves with one multiproof and credits the private balances of those not paid before.

use crate::{
    accounts, amount, bitmap,
    context::Context,
    data::Reader,
    errors::Failure,
    hash::{self, Hash},
    layer, merkle,
    state::{Balance, Batch, BatchPhase, Config, Header, load, load_mut, store, tail_mut},
};
use alloc::vec::Vec;
use ephemeral_rollups_pinocchio::ephemeral_accounts::EphemeralAccount;
use pinocchio::{
    AccountView, Address, ProgramResult,
    cpi::{Seed, Signer},
    error::ProgramError,
};

/// recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16 (what the leaf hashes) ‖ bump u8
const ENTRY: usize = 58;
const TERMS: usize = 57;

/// What a claim did, logged as `claims: paid, already paid, skipped`: numbers only.
#[derive(Default)]
struct Outcome {
    paid: u64,
    already_paid: u64,
    skipped: u64,
}

/// What creating a balance needs beside its own account: one struct, because the machine passes five arguments at most.
struct Sponsor<'a> {
    batch: &'a AccountView,
    batch_seeds: &'a [Seed<'a>],
    mint: &'a Address,
    ephemeral_vault: &'a AccountView,
    magic_program: &'a AccountView,
}

impl Sponsor<'_> {
    /// Creates the balance that an entry names. Its bump is the caller's word: another than the canonical one would only make an
    /// address that the recipient's own tools don't look at, and only the execution authority can call this.
    #[inline(never)]
    fn create(&self, balance: &mut AccountView, entry: &[u8; ENTRY]) -> ProgramResult {
        let seed = hash::balance_seed(self.mint.as_ref(), &entry[..32], &entry[41..57]);
        let bump = [entry[57]];
        let seeds = [Seed::from(Balance::SEED), Seed::from(&seed), Seed::from(&bump)];
        EphemeralAccount::new(self.batch, balance, self.ephemeral_vault, self.magic_program)
            .with_signers(&[Signer::from(self.batch_seeds), Signer::from(&seeds)])
            .create(size_of::<Balance>() as u32)?;
        let mut recipient = [0u8; 32];
        recipient.copy_from_slice(&entry[..32]);
        store(
            balance,
            Balance {
                header: Header::new::<Balance>(bump[0]),
                reserved_head: [0; 5],
                amount: 0,
                mint: *self.mint,
                recipient: Address::new_from_array(recipient),
                pending_number: 0,
                pending_amount: 0,
                pending_wallet: Address::default(),
                pending_since: 0,
                reserved: [0; 56],
            },
        )?;
        Ok(())
    }
}

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, batch, magic_program, ephemeral_vault, balances @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let start = reader.u32()?;
    let count = usize::from(reader.u16()?);
    let (entries, _) = reader.bytes(count.wrapping_mul(ENTRY))?.as_chunks::<ENTRY>();
    let proof_length = usize::from(reader.u16()?);
    let (proof, _) = reader.bytes(proof_length.wrapping_mul(32))?.as_chunks::<32>();
    reader.end()?;

    accounts::signer(authority)?;
    let config = load::<Config>(config, program_id)?;
    if authority.address() != &config.execution_authority {
        return Err(Failure::NotExecutionAuthority.into());
    }
    layer::check_magic_program(magic_program)?;
    layer::check_ephemeral_vault(ephemeral_vault)?;
    let batch_view = *batch;
    let mut tail_view = *batch;
    let batch = load_mut::<Batch>(batch, program_id)?;
    if batch.phase != BatchPhase::Open as u8 {
        return Err(Failure::BatchNotOpen.into());
    }
    let end = (start as usize).wrapping_add(count);
    if count == 0
        || count > usize::from(config.max_claims)
        || end > batch.recipients as usize
        || balances.len() != count
    {
        return Err(Failure::InvalidRange.into());
    }

    let mut nodes: Vec<Hash> = Vec::with_capacity(count);
    for (offset, entry) in entries.iter().enumerate() {
        nodes.push(hash::leaf(start.wrapping_add(offset as u32), &entry[..TERMS]));
    }
    if merkle::root_of_range(&mut nodes, start, batch.recipients, proof)? != batch.root {
        return Err(Failure::InvalidProof.into());
    }

    let bump = [batch.header.bump];
    let schedule = batch.schedule;
    let batch_seeds = [Seed::from(Batch::SEED), Seed::from(schedule.as_ref()), Seed::from(&bump)];
    let mint = batch.mint;
    let sponsor =
        Sponsor { batch: &batch_view, batch_seeds: &batch_seeds, mint: &mint, ephemeral_vault, magic_program };
    // SAFETY: loaded as a batch above; the bitmap lies behind the fixed part, which `batch` refers to.
    let paid_bits = unsafe { tail_mut::<Batch>(&mut tail_view) };
    let mut outcome = Outcome::default();

    for ((offset, entry), balance) in entries.iter().enumerate().zip(balances.iter_mut()) {
        let index = (start as usize).wrapping_add(offset);
        if bitmap::is_set(paid_bits, index) {
            outcome.already_paid = outcome.already_paid.wrapping_add(1);
            continue;
        }
        // A wallet delivery credited to a private balance would be a promise broken silently.
        if entry[40] != 0 {
            return Err(Failure::DeliveryUnsupported.into());
        }
        if !balance.owned_by(program_id) {
            // Lamports sent ahead to the address would make the creation, and with it everybody's payment, fail.
            if balance.lamports() != 0 || !balance.is_data_empty() {
                outcome.skipped = outcome.skipped.wrapping_add(1);
                continue;
            }
            sponsor.create(balance, entry)?;
        }
        let balance = load_mut::<Balance>(balance, program_id)?;
        // Whose the balance is stands in it, so its address needn't be derived again.
        if balance.recipient.as_ref() != &entry[..32] || balance.mint != mint {
            return Err(Failure::InvalidAccount.into());
        }
        let (payment, _) = entry[32..].split_first_chunk::<8>().ok_or(Failure::InvalidData)?;
        let payment = u64::from_le_bytes(*payment);
        amount::add(&mut batch.paid_amount, payment)?;
        if batch.paid_amount > batch.amount {
            return Err(Failure::BudgetExceeded.into());
        }
        amount::add(&mut balance.amount, payment)?;
        batch.paid_count = batch.paid_count.checked_add(1).ok_or(Failure::Overflow)?;
        bitmap::set(paid_bits, index);
        outcome.paid = outcome.paid.wrapping_add(1);
    }
    // SAFETY: the syscall takes integers.
    unsafe {
        solana_define_syscall::definitions::sol_log_64_(outcome.paid, outcome.already_paid, outcome.skipped, 0, 0)
    };
    Ok(())
}
