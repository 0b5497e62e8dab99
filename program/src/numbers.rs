//! Numbers that count once, marked on pages: withdrawals paid, leaves redeemed.

use crate::{
    accounts, bitmap,
    errors::Failure,
    state::{Header, Page, RedeemedPage, State, load, load_mut, store, tail, tail_mut},
};
use pinocchio::{AccountView, Address, ProgramResult, cpi::Seed};

/// A kind of page.
pub trait Numbers: State {
    const SEED: &'static [u8];
    /// Refusal of a number that is marked.
    const MARKED: Failure;
    fn page(&self) -> &Page;
    fn from_page(page: Page) -> Self;
}

impl Numbers for Page {
    const SEED: &'static [u8] = b"page";
    const MARKED: Failure = Failure::WithdrawalAlreadyPaid;

    fn page(&self) -> &Page {
        self
    }

    fn from_page(page: Page) -> Self {
        page
    }
}

impl Numbers for RedeemedPage {
    const SEED: &'static [u8] = b"redeemed";
    const MARKED: Failure = Failure::AlreadyRedeemed;

    fn page(&self) -> &Page {
        &self.0
    }

    fn from_page(page: Page) -> Self {
        RedeemedPage(page)
    }
}

/// Whether the base's page shows a withdrawal as paid. A page that doesn't exist yet shows nothing, so its address is checked; what is
/// neither a page nor nothing is refused, because "unpaid" would be the expensive mistake.
pub fn is_paid(page: &AccountView, mint: &Address, number: u64, program_id: &Address) -> Result<bool, Failure> {
    let page_number = Page::of(number)?;
    accounts::derived(page, &[Page::SEED, mint.as_ref(), &page_number.to_le_bytes()], program_id)?;
    if page.owned_by(&pinocchio_system::ID) && page.is_data_empty() {
        return Ok(false);
    }
    load::<Page>(page, program_id)?;
    // SAFETY: loaded as a page; nothing writes it meanwhile.
    Ok(bitmap::is_set(unsafe { tail::<Page>(page) }, Page::bit(number)))
}

/// A number to be marked: one struct, because the machine passes five arguments at most.
pub struct Mark<'a> {
    pub page: &'a mut AccountView,
    /// Pays for a page that doesn't exist yet.
    pub payer: &'a AccountView,
    pub mint: &'a Address,
    pub number: u64,
    pub program_id: &'a Address,
}

impl Mark<'_> {
    /// Marks the number, creating its page when it is the first there; refuses a number seen before.
    #[inline(always)]
    pub fn invoke<T: Numbers>(self) -> ProgramResult {
        let Mark { page, payer, mint, number, program_id } = self;
        let page_number = Page::of(number)?;
        if page.owned_by(program_id) {
            let known = load::<T>(page, program_id)?.page();
            if &known.mint != mint || known.page != page_number {
                return Err(Failure::InvalidAccount.into());
            }
        } else {
            let page_seed = page_number.to_le_bytes();
            let bump = accounts::derived(page, &[T::SEED, mint.as_ref(), &page_seed], program_id)?;
            let bump_seed = [bump];
            let seeds =
                [Seed::from(T::SEED), Seed::from(mint.as_ref()), Seed::from(&page_seed), Seed::from(&bump_seed)];
            accounts::Create { account: page, size: Page::SIZE, payer, program_id, seeds: &seeds }.invoke()?;
            store(
                page,
                T::from_page(Page {
                    header: Header::new::<T>(bump),
                    reserved_head: 0,
                    page: page_number,
                    mint: *mint,
                    reserved: [0; 24],
                }),
            )?;
        }
        load_mut::<T>(page, program_id)?;
        // SAFETY: loaded as a page, and no reference to its tail is alive.
        let marks = unsafe { tail_mut::<T>(page) };
        let bit = Page::bit(number);
        if bitmap::is_set(marks, bit) {
            return Err(T::MARKED.into());
        }
        bitmap::set(marks, bit);
        Ok(())
    }
}
