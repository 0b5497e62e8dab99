//! Execution layer. Verifies a range of leaves with one multiproof and credits the private balances of those not paid before.

use crate::{
    amount, bitmap,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    hash::{self, Hash},
    layer::{self, CreateBalance},
    merkle,
    state::{Balance, Batch, BatchPhase, Config, load, load_mut, tail_mut},
};
use alloc::vec::Vec;
use pinocchio::{AccountView, Address, ProgramResult, cpi::Seed, error::ProgramError};

/// recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16 (what the leaf hashes) ‖ bump u8
const ENTRY: usize = 58;
const TERMS: usize = 57;
/// Delivery of a leaf whose amount goes on to the recipient's own wallet.
const DELIVER_TO_WALLET: u8 = 1;

/// What a claim did: numbers only.
#[derive(Default)]
struct Outcome {
    paid: u32,
    already_paid: u32,
    skipped: u32,
}

/// Creates the balance that an entry names. Its bump is the caller's word: another than the canonical one would only make an
/// address that the recipient's own tools don't look at, and only the execution authority can call this.
#[inline(always)]
fn create<'a>(layer: &mut CreateBalance<'a>, balance: &'a AccountView, mint: &Address, entry: &[u8; ENTRY]) {
    let seed = hash::balance_seed(mint.as_ref(), &entry[..32], &entry[41..57]);
    layer.invoke(balance, &[Seed::from(Balance::SEED), Seed::from(&seed), Seed::from(&entry[57..])]);
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
    let proof = reader.hashes()?;
    reader.end()?;

    let config = load::<Config>(config, program_id)?;
    config.check_authority(authority)?;
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
    let mut layer = CreateBalance::new(&batch_view, ephemeral_vault, magic_program, &batch_seeds);
    // SAFETY: loaded as a batch above; the bitmap lies behind the fixed part, which `batch` refers to.
    let paid_bits = unsafe { tail_mut::<Batch>(&mut tail_view) };
    // A bit that has no place would be a payment that is forgotten.
    if paid_bits.len() < batch.recipients.div_ceil(8) as usize {
        return Err(Failure::InvalidAccount.into());
    }
    let mut outcome = Outcome::default();

    for ((offset, entry), balance) in entries.iter().enumerate().zip(balances.iter()) {
        let index = (start as usize).wrapping_add(offset);
        if bitmap::is_set(paid_bits, index) {
            outcome.already_paid = outcome.already_paid.wrapping_add(1);
            continue;
        }
        let (payment, _) = entry[32..].split_first_chunk::<8>().ok_or(Failure::InvalidData)?;
        let payment = u64::from_le_bytes(*payment);
        let delivery = entry[40];
        // An entry that can't be paid is left out, so that it doesn't keep the others from being paid.
        let paid_amount = match batch.paid_amount.checked_add(payment) {
            Some(sum) if payment != 0 && sum <= batch.amount && delivery <= DELIVER_TO_WALLET => sum,
            _ => {
                outcome.skipped = outcome.skipped.wrapping_add(1);
                continue;
            }
        };
        let mut view = *balance;
        let balance = if balance.owned_by(program_id) {
            let known = load_mut::<Balance>(&mut view, program_id)?;
            // Whose the balance is stands in it, so its address needn't be derived again.
            if known.recipient.as_ref() != &entry[..32] || known.mint != mint {
                return Err(Failure::InvalidAccount.into());
            }
            known
        } else if balance.lamports() == 0 && balance.is_data_empty() && layer.can_pay()? {
            create(&mut layer, balance, &mint, entry);
            Balance::begin(&mut view, entry[57], &mint, entry)?
        } else {
            // Lamports sent ahead to the address, or too few in the batch, would make the creation, and with it everybody's payment,
            // fail.
            outcome.skipped = outcome.skipped.wrapping_add(1);
            continue;
        };
        amount::add(&mut balance.amount, payment)?;
        if delivery == DELIVER_TO_WALLET {
            amount::add(&mut balance.deliver, payment)?;
        }
        balance.note();
        batch.paid_amount = paid_amount;
        batch.paid_count = batch.paid_count.wrapping_add(1);
        bitmap::set(paid_bits, index);
        outcome.paid = outcome.paid.wrapping_add(1);
    }
    Event::new(Kind::ClaimsProcessed).u32(outcome.paid).u32(outcome.already_paid).u32(outcome.skipped).emit();
    Ok(())
}
