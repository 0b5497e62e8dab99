//! Numbers that count once, marked on pages: withdrawals paid, leaves redeemed.

use crate::{
    accounts::{self, Creation},
    bitmap,
    context::{Account, Derived},
    errors::Failure,
    state::{self, Page, RedeemedPage, State, tail, tail_mut},
};
use pinocchio::{AccountView, Address, ProgramResult};

/// A kind of page.
pub trait Numbers: State {
    /// Refusal of a number that is marked.
    const MARKED: Failure;
    fn seeds<'a>(mint: &'a [u8], page: &'a [u8]) -> [&'a [u8]; 3];
    fn page(&mut self) -> &mut Page;
}

impl Numbers for Page {
    const MARKED: Failure = Failure::WithdrawalAlreadyPaid;

    fn seeds<'a>(mint: &'a [u8], page: &'a [u8]) -> [&'a [u8]; 3] {
        Page::seeds(mint, page)
    }

    fn page(&mut self) -> &mut Page {
        self
    }
}

impl Numbers for RedeemedPage {
    const MARKED: Failure = Failure::AlreadyRedeemed;

    fn seeds<'a>(mint: &'a [u8], page: &'a [u8]) -> [&'a [u8]; 3] {
        RedeemedPage::seeds(mint, page)
    }

    fn page(&mut self) -> &mut Page {
        &mut self.page
    }
}

/// Whether the base's page shows a withdrawal as paid. A page that doesn't exist yet shows nothing, so its address is checked; what is
/// neither a page nor nothing is refused, because "unpaid" would be the expensive mistake.
pub fn is_paid(page: &AccountView, mint: &Address, number: u64, program_id: &Address) -> Result<bool, Failure> {
    let page_number = Page::of(number)?;
    accounts::derived(page, &Page::seeds(mint.as_ref(), &page_number.to_le_bytes()), program_id)?;
    if page.owned_by(&pinocchio_system::ID) && page.is_data_empty() {
        return Ok(false);
    }
    state::check::<Page>(page, program_id)?;
    // SAFETY: checked to be a page; nothing writes it meanwhile.
    Ok(bitmap::is_set(unsafe { tail::<Page>(page) }, Page::bit(number)))
}

/// A number to be marked: one struct, because the machine passes five arguments at most.
pub struct Mark<'a, T> {
    pub page: Derived<T>,
    /// Pays for a page that doesn't exist yet.
    pub payer: &'a AccountView,
    pub mint: &'a Address,
    pub number: u64,
    pub program_id: &'a Address,
}

impl<T: Numbers> Mark<'_, T> {
    /// Marks the number, creating its page when it is the first there; refuses a number seen before.
    #[inline(always)]
    pub fn invoke(self) -> ProgramResult {
        let Mark { page, payer, mint, number, program_id } = self;
        let page_number = Page::of(number)?;
        let mut page = if page.owned_by(program_id) {
            let mut known = Account::<T>::of(&page, program_id)?;
            if &known.page().mint != mint || known.page().page != page_number {
                return Err(Failure::InvalidAccount.into());
            }
            known
        } else {
            let page_seed = page_number.to_le_bytes();
            let seeds = T::seeds(mint.as_ref(), &page_seed);
            let mut new = page.create(&Creation { payer, program_id, seeds: &seeds, size: Page::SIZE })?;
            new.page().page = page_number;
            new.page().mint = *mint;
            new
        };
        // SAFETY: checked to be a page, and no reference to its tail is alive.
        let marks = unsafe { tail_mut::<T>(&mut page.view) };
        let bit = Page::bit(number);
        if bitmap::is_set(marks, bit) {
            return Err(T::MARKED.into());
        }
        bitmap::set(marks, bit);
        Ok(())
    }
}
