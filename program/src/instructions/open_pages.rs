//! Execution layer. Makes pages for private balances, which an open window's batch pays. `set_permissions` of each goes with it, where the
//! layer has read permissions: in the same transaction, before anybody's balance is there.

use crate::{data::InPlace, layer::EphemeralAccount, prelude::*};

accounts! {
    #[selector(71)]
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
        /// In the order of the pages.
        seeds: &'a [PageSeed],
    }
}

/// What a page's address is derived from, beside the token.
#[repr(C)]
pub struct PageSeed {
    /// Drawn by chance: nobody can guess the address.
    nonce: [u8; 16],
    number: [u8; 4],
    bump: u8,
}

// SAFETY: bytes.
unsafe impl InPlace for PageSeed {}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, batch, magic_program, ephemeral_vault, pages } =
        Accounts::parse(accounts, program_id)?;
    let Data { seeds } = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    if pages.is_empty() || pages.len() != seeds.len() {
        return Err(Failure::InvalidData.into());
    }

    let bump = [batch.header.bump];
    let sponsor_seeds = Batch::signer_seeds(batch.schedule.as_ref(), &bump);
    let layer = EphemeralAccount {
        sponsor: &batch.view,
        sponsor_seeds: &sponsor_seeds,
        ephemeral_vault: &ephemeral_vault,
        magic_program: &magic_program,
    };
    for (view, PageSeed { nonce, number, bump }) in pages.iter().zip(seeds) {
        // Twice is harmless: a repeat finds the page.
        if view.owned_by(program_id) {
            let page = Account::<BalancePage>::of(view, program_id)?;
            if page.mint != batch.mint || &page.nonce != nonce {
                return Err(Failure::InvalidAddress.into());
            }
            continue;
        }
        let page_seeds = BalancePage::signer_seeds(batch.mint.as_ref(), nonce, core::slice::from_ref(bump));
        layer.create(view, &page_seeds, BalancePage::SIZE)?;
        let mut page = Account::<BalancePage>::created(view, *bump)?;
        page.mint = batch.mint;
        page.nonce = *nonce;
        page.number = u32::from_le_bytes(*number);
    }
    Ok(())
}
