//! Execution layer. Closes a batch that is complete (all paid, or timed out) and the pages of its bitmap, and sends it back to the base.

use crate::{layer::EphemeralAccount, prelude::*};
use alloc::vec::Vec;
use ephemeral_rollups_pinocchio::instruction::commit_and_undelegate_accounts;

accounts! {
    #[selector(33)]
    #[remaining(bitmap_pages, writable)]
    pub struct Accounts<'a> {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        magic_program: Known<MagicProgram>,
        #[writable] magic_context: Known<MagicContext>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
    }
}

data! {
    pub struct Data {
        window: u64,
    }
}

/// All pages that were made of the window's bitmap, in order.
fn take_pages(views: &[AccountView], batch: &Batch, program_id: &Address) -> Result<Vec<Account<BitmapPage>>, Failure> {
    if views.len() != batch.bitmap_pages.count_ones() as usize {
        return Err(Failure::InvalidData);
    }
    let mut pages: Vec<Account<BitmapPage>> = Vec::with_capacity(views.len());
    for view in views {
        let page = Account::<BitmapPage>::of_writable(view, program_id)?;
        page.check_of(batch, page.number)?;
        if pages.last().is_some_and(|last| last.number >= page.number) {
            return Err(Failure::InvalidAccount);
        }
        pages.push(page);
    }
    Ok(pages)
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut batch, magic_program, magic_context, ephemeral_vault, bitmap_pages } =
        Accounts::parse(accounts, program_id)?;
    let Data { window } = Data::parse(data)?;

    config.check_authority(&authority)?;
    batch.check_open()?;
    if batch.window != window {
        return Err(Failure::WrongWindow.into());
    }
    if !batch.is_complete() {
        let deadline = batch.opened_at.checked_add(i64::from(batch.batch_timeout)).ok_or(Failure::Overflow)?;
        if now()? < deadline {
            return Err(Failure::BatchNotComplete.into());
        }
    }

    let pages = take_pages(bitmap_pages, &batch, program_id)?;
    if pages.len() == BitmapPage::count(batch.recipients) as usize {
        batch.bitmap_hash =
            hash::bitmap(batch.schedule.as_ref(), window, pages.iter().map(Account::<BitmapPage>::bits));
    }
    let bump = [batch.header.bump];
    for page in &pages {
        EphemeralAccount {
            sponsor: &batch.view,
            sponsor_seeds: &Batch::signer_seeds(batch.schedule.as_ref(), &bump),
            ephemeral_vault: &ephemeral_vault,
            magic_program: &magic_program,
        }
        .close(&page.view)?;
    }
    batch.phase = BatchPhase::Closed.into();
    let Batch { schedule, paid_count, paid_amount, .. } = *batch;
    events::WindowCommitted { schedule, window, paid_count, paid_amount }.emit();

    commit_and_undelegate_accounts(&authority, &[batch.view], &magic_context, &magic_program, None, None)
}
