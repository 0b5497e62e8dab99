//! Base. Opens a window: its amount moves from the vault to the pool, the next one's is reserved where the schedule has no end, and its batch goes to the execution layer, with lamports that the
//! operator lends it, and what the sponsor lacks for the token accounts that its money can open is taken from what is prepaid.

use crate::{
    delegation::Delegate,
    prelude::*,
    sponsor::{self, Sponsor},
    state::State,
    token::Transfer,
};
use pinocchio::error::ProgramError;
use pinocchio_system::instructions::Transfer as TransferLamports;

accounts! {
    #[selector(15)]
    pub struct Accounts {
        #[signer] #[writable] authority: AccountView,
        config: Account<Config>,
        #[writable] schedule: Account<Schedule>,
        #[writable] batch: Derived<Batch>,
        #[writable] vault: Account<Vault>,
        #[writable] vault_token: AccountView,
        #[writable] pool: Account<Pool>,
        #[writable] pool_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
        #[writable] #[seeds(delegated = batch)] buffer: AccountView,
        #[writable] #[seeds(delegated = batch)] delegation_record: AccountView,
        #[writable] #[seeds(delegated = batch)] delegation_metadata: AccountView,
        delegation_program: Known<DelegationProgram>,
        owner_program: ThisProgram,
        system_program: Known<SystemProgram>,
        #[writable] sponsor: AccountView,
    }
}

data! {
    pub struct Data {
        window: u64,
        /// Of the list that whoever opens it has looked at.
        root_version: u32,
        /// Lamports for what the batch has to pay in the layer; what is left of them returns when the window is settled.
        #[default(0)]
        lend: u64,
    }
}

impl Accounts {
    /// The accounts belong together, and the window may be opened. Returns its batch, which is not away.
    #[inline(always)]
    fn check(&self, data: &Data, now: i64, program_id: &Address) -> Result<Account<Batch>, ProgramError> {
        let Accounts { config, schedule, vault, vault_token, pool, pool_token, mint, sponsor, .. } = self;
        config.check_authority(&self.authority)?;
        // From the declaration on, no money goes to a layer that may be lost.
        config.check_not_declared()?;
        accounts::is(&vault.view, &schedule.vault)?;
        accounts::is(vault_token, &vault.token_account)?;
        accounts::is(pool_token, &pool.token_account)?;
        accounts::is(mint, &schedule.mint)?;
        accounts::is(mint, &pool.mint)?;
        Sponsor::new(sponsor, &pool.mint, pool.sponsor_bump, program_id)?;
        // Before the batch is looked at, which is away meanwhile.
        if schedule.is_open() {
            return Err(Failure::WindowAlreadyOpen.into());
        }
        let batch = Account::<Batch>::of(&self.batch, program_id)?;
        if &batch.schedule != schedule.address() {
            return Err(Failure::InvalidAccount.into());
        }
        // The number makes a stale resend of the last opening harmless.
        if schedule.window != data.window {
            return Err(Failure::WrongWindow.into());
        }
        // Nobody opens a list that took another's place after they had looked.
        schedule.check_root_version(data.root_version)?;
        let is_over = schedule.executions_left == 0 && !schedule.has_no_end();
        if schedule.status != ScheduleStatus::Active || is_over {
            return Err(Failure::ScheduleNotActive.into());
        }
        if now < schedule.due_at() {
            return Err(Failure::NotDue.into());
        }
        Ok(batch)
    }

    /// Lends the batch lamports of the execution authority's.
    #[inline(always)]
    fn lend(&mut self, lamports: u64) -> ProgramResult {
        if lamports == 0 {
            return Ok(());
        }
        amount::add(&mut self.schedule.lent, lamports)?;
        TransferLamports { from: &self.authority, to: &self.batch, lamports }.invoke()
    }

    /// Moves the window's amount from the vault to the pool.
    #[inline(always)]
    fn move_in(&mut self, now: i64) -> ProgramResult {
        let Accounts { schedule, vault, pool, .. } = self;
        // What came in since the last window counts for this one, too.
        schedule.refill(vault)?;
        schedule.take_window(vault)?;
        amount::add(&mut vault.open, schedule.amount)?;
        let opening = pool.move_in(schedule.amount)?;
        schedule.phase = SchedulePhase::Open.into();
        schedule.refill(vault)?;
        schedule.opened_at = now;
        schedule.space_openings(now);
        schedule.window_amount = schedule.amount;
        schedule.window_recipients = schedule.recipients;
        schedule.window_root_version = schedule.root_version;
        schedule.window_held = u32::from(schedule.held_count);
        schedule.window_opening = opening;
        Transfer {
            from: &self.vault_token,
            to: &self.pool_token,
            mint: &self.mint,
            token_program: &self.token_program,
            amount: schedule.amount,
            decimals: vault.decimals,
        }
        .out_of_vault(vault)
    }
}

/// Writes the window's terms into its batch.
#[inline(always)]
fn open(batch: &mut Account<Batch>, schedule: &Account<Schedule>, now: i64) {
    **batch = Batch {
        phase: BatchPhase::Open.into(),
        recipients: schedule.recipients,
        schedule: *schedule.address(),
        mint: schedule.mint,
        root: schedule.root,
        window: schedule.window,
        opened_at: now,
        batch_timeout: schedule.batch_timeout,
        amount: schedule.amount,
        held_count: u32::from(schedule.held_count),
        held: schedule.held,
        ..Batch::blank(schedule.batch_bump)
    };
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let mut accounts = Accounts::parse(accounts, program_id)?;
    let data = Data::parse(data)?;

    let now = now()?;
    let mut batch = accounts.check(&data, now, program_id)?;

    accounts.move_in(now)?;
    accounts.lend(data.lend)?;
    let lacking = sponsor::lacking(&accounts.sponsor, &accounts.pool, accounts.schedule.opening_fee)?;
    let given = accounts.schedule.use_prepaid_openings(lacking)?;
    open(&mut batch, &accounts.schedule, now);
    let Accounts { schedule, pool, .. } = &accounts;
    events::WindowOpened {
        schedule: *schedule.address(),
        window: data.window,
        amount: schedule.amount,
        recipients: schedule.recipients,
        held: schedule.window_held,
    }
    .emit();
    Delegate {
        validator: pool.validator,
        seeds: &Batch::seeds(schedule.address().as_ref()),
        bump: schedule.batch_bump,
        payer: accounts.authority,
        account: batch.view,
        owner_program: *accounts.owner_program,
        buffer: accounts.buffer,
        delegation_record: accounts.delegation_record,
        delegation_metadata: accounts.delegation_metadata,
        system_program: *accounts.system_program,
    }
    .invoke()?;
    // After the calls, which would find the books of two accounts open.
    accounts::move_lamports(&mut accounts.schedule.view, &mut accounts.sponsor, given)
}
