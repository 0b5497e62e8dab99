//! Execution layer. Verifies a range of leaves by one multiproof and credits private balances: the bitmap has each paid at most once.

use crate::{
    bitmap,
    data::{InPlace, UnalignedU64},
    layer::CreateEphemeral,
    merkle,
    prelude::*,
    state::tail_mut,
};
use alloc::vec::Vec;
use pinocchio::error::ProgramError;

accounts! {
    #[selector(32)]
    #[remaining(balances, writable)]
    pub struct Accounts<'a> {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
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
    recipient: Address,
    amount: UnalignedU64,
    /// 0: private balance, 1: wallet.
    delivery: u8,
    salt: [u8; 16],
    /// Bump of the recipient's balance address, read only when the balance is created. It is the caller's word: another than the
    /// canonical one would only make an address that the recipient's own tools don't look at, and only the execution authority can claim.
    bump: u8,
}

// SAFETY: bytes.
unsafe impl InPlace for ClaimEntry {}

/// Bytes of an entry that its leaf hashes: all but the bump.
const TERMS: usize = size_of::<ClaimEntry>() - 1;

/// Where a claim puts the money.
#[repr(u8)]
#[allow(dead_code, reason = "only employers name both")]
pub enum Delivery {
    Balance = 0,
    /// On to the recipient's own wallet.
    Wallet = 1,
}

const WALLET: u8 = Delivery::Wallet as u8;

impl Data<'_> {
    /// The range is one of the batch's, and its leaves and the proof rebuild the root.
    #[inline(always)]
    fn check(&self, config: &Config, batch: &Batch, balances: usize) -> Result<(), Failure> {
        let Data { start, entries, proof } = *self;
        let count = entries.len();
        if count == 0
            || count > usize::from(config.max_claims)
            || (start as usize).wrapping_add(count) > batch.recipients as usize
            || balances != count
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

/// What the payments of a claim share.
struct Claim<'a> {
    program_id: &'a Address,
    batch: &'a mut Batch,
    layer: CreateEphemeral<'a, Balance>,
}

impl<'a> Claim<'a> {
    /// Whether the entry is paid. One that can't be is left out, so that it doesn't keep the others from being paid.
    #[inline(always)]
    fn pay(&mut self, entry: &'a ClaimEntry, account: &'a AccountView) -> Result<bool, ProgramError> {
        let payment = entry.amount.get();
        let paid_amount = match self.batch.paid_amount.checked_add(payment) {
            Some(sum) if payment != 0 && sum <= self.batch.amount && entry.delivery <= WALLET => sum,
            _ => return Ok(false),
        };
        let mut balance = if account.owned_by(self.program_id) {
            let known = Account::<Balance>::of_writable(account, self.program_id)?;
            // What its address derives from stands in it, so it needn't be derived again.
            if known.recipient != entry.recipient || known.mint != self.batch.mint || known.salt != entry.salt {
                return Err(Failure::InvalidAccount.into());
            }
            known
        } else if account.lamports() == 0 && account.is_data_empty() && self.layer.can_pay()? {
            self.create(entry, account)?
        } else {
            // Lamports sent ahead to the address, or too few in the batch, would make the creation, and with it everybody's payment,
            // fail.
            return Ok(false);
        };
        amount::add(&mut balance.amount, payment)?;
        if entry.delivery == WALLET {
            amount::add(&mut balance.deliver, payment)?;
        }
        balance.note();
        self.batch.paid_amount = paid_amount;
        self.batch.paid_count = self.batch.paid_count.wrapping_add(1);
        Ok(true)
    }

    /// Creates the balance that an entry names. Its bytes are zero: only what isn't is written.
    #[inline(always)]
    fn create(&mut self, entry: &'a ClaimEntry, account: &'a AccountView) -> Result<Account<Balance>, Failure> {
        let mint = self.batch.mint;
        let seed = hash::balance_seed(mint.as_ref(), entry.recipient.as_ref(), &entry.salt);
        self.layer.invoke(account, &Balance::signer_seeds(&seed, core::slice::from_ref(&entry.bump)));
        let mut balance = Account::<Balance>::created(account, entry.bump)?;
        balance.mint = mint;
        balance.recipient = entry.recipient;
        balance.salt = entry.salt;
        self.batch.new_count = self.batch.new_count.wrapping_add(1);
        Ok(balance)
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, magic_program, ephemeral_vault, balances } =
        Accounts::parse(accounts, program_id)?;
    let data = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    data.check(&config, &batch, balances.len())?;

    let bump = [batch.header.bump];
    let (view, mut tail_view, schedule) = (batch.view, batch.view, batch.schedule);
    let batch_seeds = Batch::signer_seeds(schedule.as_ref(), &bump);
    let layer = CreateEphemeral::new(&view, &ephemeral_vault, &magic_program, &batch_seeds);
    // SAFETY: taken as a batch; the bitmap lies behind the fixed part, which `batch` refers to.
    let paid_bits = unsafe { tail_mut::<Batch>(&mut tail_view) };
    // A bit that has no place would be a payment that is forgotten.
    if paid_bits.len() < batch.recipients.div_ceil(8) as usize {
        return Err(Failure::InvalidAccount.into());
    }

    let (mut paid, mut already_paid, mut skipped) = (0u32, 0u32, 0u32);
    let mut claim = Claim { program_id, batch: &mut batch, layer };
    for ((offset, entry), balance) in data.entries.iter().enumerate().zip(balances.iter()) {
        let index = (data.start as usize).wrapping_add(offset);
        if bitmap::is_set(paid_bits, index) {
            already_paid = already_paid.wrapping_add(1);
        } else if claim.pay(entry, balance)? {
            bitmap::set(paid_bits, index);
            paid = paid.wrapping_add(1);
        } else {
            skipped = skipped.wrapping_add(1);
        }
    }
    events::ClaimsProcessed { paid, already_paid, skipped }.emit();
    Ok(())
}
