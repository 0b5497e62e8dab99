//! Execution layer. Makes pages of an open window's bitmap, with the bits of those set who are held back. The window's batch pays for them, and
//! gets it back when it is committed.

use crate::{bitmap, data::InPlace, layer::EphemeralAccount, prelude::*};

accounts! {
    #[selector(76)]
    #[remaining(pages, writable)]
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
        /// The batch's, if no page is made yet; drawn by chance.
        nonce: u32,
        /// In the order of the pages.
        seeds: &'a [BitmapSeed],
    }
}

/// What a page's address is derived from, beside schedule, window and nonce.
#[repr(C)]
pub struct BitmapSeed {
    number: [u8; 4],
    bump: u8,
}

// SAFETY: bytes.
unsafe impl InPlace for BitmapSeed {}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, magic_program, ephemeral_vault, pages } =
        Accounts::parse(accounts, program_id)?;
    let Data { nonce, seeds } = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    if pages.is_empty() || pages.len() != seeds.len() {
        return Err(Failure::InvalidData.into());
    }

    if batch.bitmap_pages == 0 {
        batch.bitmap_nonce = nonce;
    }
    let (schedule, recipients, batch_bump) = (batch.schedule, batch.recipients, [batch.header.bump]);
    let (window, nonce) = (batch.window.to_le_bytes(), batch.bitmap_nonce.to_le_bytes());
    for (view, BitmapSeed { number, bump }) in pages.iter().zip(seeds) {
        let page_number = u32::from_le_bytes(*number);
        if page_number >= BitmapPage::count(recipients) {
            return Err(Failure::InvalidRange.into());
        }
        // Twice is harmless: a repeat finds the bit.
        let made = 1 << page_number;
        if batch.bitmap_pages & made != 0 {
            continue;
        }
        batch.bitmap_pages |= made;
        let page_seeds =
            BitmapPage::signer_seeds(schedule.as_ref(), &window, &nonce, number, core::slice::from_ref(bump));
        EphemeralAccount {
            sponsor: &batch.view,
            sponsor_seeds: &Batch::signer_seeds(schedule.as_ref(), &batch_bump),
            ephemeral_vault: &ephemeral_vault,
            magic_program: &magic_program,
        }
        .create(view, &page_seeds, BitmapPage::size(page_number, recipients))?;
        let mut page = Account::<BitmapPage>::created(view, *bump)?;
        page.number = page_number;
        page.schedule = schedule;
        page.window = batch.window;
        for index in batch.held() {
            if index / BitmapPage::BITS == page_number {
                bitmap::set(page.bits_mut(), (index % BitmapPage::BITS) as usize);
            }
        }
    }
    Ok(())
}
