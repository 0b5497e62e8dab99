//! Base. Ends windows of one token after their batches came back, and after a recording of the liabilities tree that knows what they paid.
//! What was paid is decided by the accounts; the execution authority signs that the recorded tree says the same, and takes the windows' fees
//! and what is left of what it lent. Settlements may land in any order, beside each other.

use crate::{data::UnalignedU64, prelude::*, token::Transfer};

/// Each window's: schedule, batch, vault and the vault's token account.
const ACCOUNTS_EACH: usize = 4;

accounts! {
    #[selector(16)]
    #[remaining(window_accounts, writable)]
    pub struct Accounts<'a> {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] pool: Account<Pool>,
        #[writable] pool_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
    }
}

data! {
    pub struct Data<'a> {
        /// Base units: what the recorded tree says that these windows have paid, together.
        paid: u64,
        /// Their numbers.
        windows: &'a [UnalignedU64],
    }
}

/// What all windows have in common.
struct Settlement<'a> {
    program_id: &'a Address,
    authority: AccountView,
    pool: &'a mut Account<Pool>,
    pool_token: &'a AccountView,
    mint: &'a AccountView,
    token_program: &'a AccountView,
    /// Unix seconds.
    now: i64,
    /// Base units: what the windows have paid that ended.
    paid: u64,
}

impl Settlement<'_> {
    /// Ends one window.
    #[inline(never)]
    fn end(&mut self, number: u64, accounts: &[AccountView; ACCOUNTS_EACH]) -> ProgramResult {
        let [schedule, batch, vault, vault_token] = accounts;
        let mut window = Window {
            schedule: Account::of_writable(schedule, self.program_id)?,
            vault: Account::of_writable(vault, self.program_id)?,
            number,
        };
        window.check(self, vault_token)?;
        let mut batch = Account::of_writable(batch, self.program_id)?;
        window.check_batch(&batch, self.now)?;

        // The layer hashes the bitmap when it closes the batch; one that came back as it was has none.
        if batch.phase != BatchPhase::Closed {
            batch.bitmap_hash = [0; 32];
        }
        let (paid_amount, paid_count, bitmap_hash) = (batch.paid_amount, batch.paid_count, batch.bitmap_hash);
        amount::add(&mut self.paid, paid_amount)?;
        let returned = window.settle(&batch, self.pool, self.now)?;
        // The recorded tree counts it among what the pool owes.
        self.pool.take_recorded(returned)?;
        batch.phase = BatchPhase::Idle.into();
        if returned > 0 {
            Transfer {
                from: self.pool_token,
                to: vault_token,
                mint: self.mint,
                token_program: self.token_program,
                amount: returned,
                decimals: self.pool.decimals,
            }
            .out_of_pool(self.pool)?;
        }
        let repaid = window.schedule.repay(&batch.view)?;
        accounts::move_lamports(&mut batch.view, &mut self.authority, repaid)?;
        // New balances are the layer's word, bounded by what is prepaid.
        let used = window.schedule.use_prepaid(batch.new_count.min(paid_count));
        accounts::move_lamports(&mut window.schedule.view, &mut self.authority, used)?;
        let schedule = *window.schedule.address();
        events::WindowSettled { schedule, window: number, paid_count, paid_amount, returned, bitmap_hash }.emit();
        Ok(())
    }
}

/// A window whose batch came back.
struct Window {
    schedule: Account<Schedule>,
    vault: Account<Vault>,
    number: u64,
}

impl Window {
    #[inline(always)]
    fn check(&self, of_all: &Settlement, vault_token: &AccountView) -> Result<(), Failure> {
        let Window { schedule, vault, number } = self;
        accounts::is(&vault.view, &schedule.vault)?;
        accounts::is(vault_token, &vault.token_account)?;
        accounts::is(of_all.mint, &schedule.mint)?;
        if !schedule.is_open() {
            return Err(Failure::WindowNotOpen);
        }
        if &schedule.window != number {
            return Err(Failure::WrongWindow);
        }
        // What it paid stands in the recorded balances from now on, so the tree must know of it.
        if schedule.window_opening > of_all.pool.recorded_openings {
            return Err(Failure::LiabilitiesMismatch);
        }
        Ok(())
    }

    /// The batch is the layer's word, bounded by what the base itself wrote when it opened the window.
    #[inline(always)]
    fn check_batch(&self, batch: &Batch, now: i64) -> Result<(), Failure> {
        let Window { schedule, number, .. } = self;
        if &batch.schedule != schedule.address() {
            return Err(Failure::InvalidAccount);
        }
        // The layer's clock is not trusted to say that the time for paying is over. Once it is, a batch counts as it came back.
        let deadline = schedule.opened_at.checked_add(i64::from(schedule.batch_timeout)).ok_or(Failure::Overflow)?;
        let is_over = now >= deadline;
        if &batch.window != number || (batch.phase != BatchPhase::Closed && !is_over) {
            return Err(Failure::BatchNotClosed);
        }
        let (paid, paid_count) = (batch.paid_amount, batch.paid_count);
        let payable = schedule.window_recipients.saturating_sub(schedule.window_held);
        if paid > schedule.window_amount
            || paid_count > payable
            || paid < u64::from(paid_count)
            || (paid_count == 0 && paid != 0)
        {
            return Err(Failure::BatchOutOfBounds);
        }
        if paid_count < payable && !is_over { Err(Failure::BatchNotComplete) } else { Ok(()) }
    }

    /// Counts what was paid; returns what goes back to the vault, base units.
    #[inline(always)]
    fn settle(&mut self, batch: &Batch, pool: &mut Pool, now: i64) -> Result<u64, Failure> {
        let Window { schedule, vault, .. } = self;
        let paid = batch.paid_amount;
        let unpaid = schedule.window_amount.checked_sub(paid).ok_or(Failure::Overflow)?;
        amount::sub(&mut vault.open, schedule.window_amount)?;
        vault.paid = vault.paid.wrapping_add(paid);
        pool.close_window(schedule.window_amount, unpaid)?;
        schedule.next_execution = next_execution(schedule, now)?;
        schedule.forget_dates();
        schedule.close_window()?;
        if schedule.executions_left == 0 && !schedule.has_no_end() && schedule.status != ScheduleStatus::Cancelled {
            schedule.status = ScheduleStatus::Completed.into();
        }
        schedule.last_paid_count = batch.paid_count;
        schedule.last_paid_amount = paid;
        schedule.last_bitmap_hash = batch.bitmap_hash;
        schedule.last_settled_at = now;
        schedule.paid_total = schedule.paid_total.wrapping_add(paid);
        Ok(unpaid)
    }
}

/// The next execution. Unix seconds.
fn next_execution(schedule: &Schedule, now: i64) -> Result<i64, Failure> {
    let planned = schedule.next_execution;
    if schedule.missed == MissedWindows::Skip {
        schedule.calendar().first_after(planned, now)
    } else {
        schedule.calendar().next(planned)
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut pool, pool_token, mint, token_program, window_accounts } =
        Accounts::parse(accounts, program_id)?;
    let Data { paid, windows } = Data::parse(data)?;

    let (each, surplus) = window_accounts.as_chunks::<ACCOUNTS_EACH>();
    if windows.is_empty() || windows.len() != each.len() || !surplus.is_empty() {
        return Err(Failure::InvalidData.into());
    }
    config.check_authority(&authority)?;
    config.check_not_declared()?;
    accounts::is(&pool_token, &pool.token_account)?;
    accounts::is(&mint, &pool.mint)?;

    let now = now()?;
    let (pool_token, mint, token_program) = (&pool_token, &mint, &token_program);
    let mut settlement =
        Settlement { program_id, authority, pool: &mut pool, pool_token, mint, token_program, now, paid: 0 };
    for (number, accounts) in windows.iter().zip(each) {
        settlement.end(number.get(), accounts)?;
    }
    // Else the tree would divide more than the pool has left, or less.
    if settlement.paid == paid { Ok(()) } else { Err(Failure::LiabilitiesMismatch.into()) }
}
