//! Execution layer. Verifies a range of leaves by one multiproof and credits private balances: the bitmap has each paid at most once.

use crate::{
    bitmap,
    data::{InPlace, UnalignedU64},
    merkle,
    prelude::*,
    state::NO_OWNER,
};
use alloc::vec::Vec;

accounts! {
    #[selector(32)]
    #[remaining(pages, writable)]
    pub struct Accounts<'a> {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        /// Of the range, which lies in one page.
        #[writable] bitmap: Account<BitmapPage>,
    }
}

data! {
    pub struct Data<'a> {
        /// Index of the first leaf.
        start: u32,
        entries: &'a [ClaimEntry],
        proof: &'a [Hash],
    }
}

/// One leaf of a claim: its index is that of the range start plus its place.
#[repr(C)]
pub struct ClaimEntry {
    owner: Hash,
    amount: UnalignedU64,
    blind: [u8; 16],
    /// Place of the balance's page among those of this claim. Page and slot are the caller's word: a free slot becomes the owner's, and one
    /// that has another owner is not paid.
    page: u8,
    slot: u8,
}

// SAFETY: bytes.
unsafe impl InPlace for ClaimEntry {}

/// Bytes of an entry that its leaf hashes.
const TERMS: usize = size_of::<ClaimEntry>() - 2;

impl Data<'_> {
    /// The range is one of the batch's, and its leaves and the proof rebuild the root.
    #[inline(always)]
    fn check(&self, config: &Config, batch: &Batch) -> Result<(), Failure> {
        let Data { start, entries, proof } = *self;
        let count = entries.len();
        if count == 0
            || count > usize::from(config.max_claims)
            || (start as usize).wrapping_add(count) > batch.recipients as usize
        {
            return Err(Failure::InvalidRange);
        }
        let mut nodes: Vec<Hash> = Vec::with_capacity(count);
        for (offset, entry) in entries.iter().enumerate() {
            nodes.push(hash::leaf(start.wrapping_add(offset as u32), &entry.as_bytes()[..TERMS]));
        }
        if merkle::root_of_range(&mut nodes, start, batch.recipients, proof)? != batch.root {
            return Err(Failure::InvalidProof);
        }
        Ok(())
    }
}

/// Pays an entry; whether it did. One that can't be paid is left out, so that it doesn't keep the others from being paid.
#[inline(always)]
fn pay(batch: &mut Batch, entry: &ClaimEntry, pages: &mut [Account<BalancePage>]) -> Result<bool, Failure> {
    let payment = entry.amount.get();
    let paid_amount = match batch.paid_amount.checked_add(payment) {
        Some(sum) if payment != 0 && sum <= batch.amount => sum,
        _ => return Ok(false),
    };
    // Its slot would stay free, and whoever is put there next would have this payment.
    if entry.owner == NO_OWNER {
        return Ok(false);
    }
    let page = pages.get_mut(usize::from(entry.page)).ok_or(Failure::InvalidAccount)?;
    let slot = page.slot(entry.slot).ok_or(Failure::InvalidAccount)?;
    if slot.owner != entry.owner {
        if slot.owner != NO_OWNER {
            return Ok(false);
        }
        slot.owner = entry.owner;
        batch.new_count = batch.new_count.wrapping_add(1);
    }
    amount::add(&mut slot.amount, payment)?;
    batch.paid_amount = paid_amount;
    batch.paid_count = batch.paid_count.wrapping_add(1);
    Ok(true)
}

/// The pages of a claim, each of the batch's token.
fn take_pages(
    views: &[AccountView],
    batch: &Batch,
    program_id: &Address,
) -> Result<Vec<Account<BalancePage>>, Failure> {
    let mut pages = Vec::with_capacity(views.len());
    for view in views {
        let page = Account::<BalancePage>::of_writable(view, program_id)?;
        if page.mint != batch.mint {
            return Err(Failure::InvalidAccount);
        }
        pages.push(page);
    }
    Ok(pages)
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, bitmap: mut bitmap_page, pages } =
        Accounts::parse(accounts, program_id)?;
    let data = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    data.check(&config, &batch)?;
    let mut pages = take_pages(pages, &batch, program_id)?;

    // A range that ends in another page would be paid without a bit.
    let (number, first) = (data.start / BitmapPage::BITS, data.start % BitmapPage::BITS);
    if data.entries.len().saturating_add(first as usize) > BitmapPage::BITS as usize {
        return Err(Failure::InvalidRange.into());
    }
    bitmap_page.check_of(&batch, number)?;
    let paid_bits = bitmap_page.bits_mut();

    let (mut paid, mut already_paid, mut skipped) = (0u32, 0u32, 0u32);
    for (offset, entry) in data.entries.iter().enumerate() {
        let index = (first as usize).wrapping_add(offset);
        if bitmap::is_set(paid_bits, index) {
            already_paid = already_paid.wrapping_add(1);
        } else if pay(&mut batch, entry, &mut pages)? {
            bitmap::set(paid_bits, index);
            paid = paid.wrapping_add(1);
        } else {
            skipped = skipped.wrapping_add(1);
        }
    }
    events::ClaimsProcessed { paid, already_paid, skipped }.emit();
    Ok(())
}
