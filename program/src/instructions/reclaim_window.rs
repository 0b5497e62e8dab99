//! Base, once the execution layer is lost. Ends an open window by what the recorded tree knows of it: what was paid counts, the rest
//! returns to the vault, the schedule is cancelled. Anybody may send it: everything is decided by the accounts.

use crate::{
    data::{InPlace, UnalignedU64},
    liabilities::Proof,
    prelude::*,
    token::Transfer,
};

accounts! {
    #[selector(27)]
    pub struct Accounts {
        config: Account<Config>,
        #[writable] schedule: Account<Schedule>,
        #[writable] vault: Account<Vault>,
        #[writable] vault_token: AccountView,
        #[writable] pool: Account<Pool>,
        #[writable] pool_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
    }
}

data! {
    pub struct Data<'a> {
        /// Of the leaf in the liabilities tree.
        index: u32,
        #[flatten]
        terms: &'a WindowTerms,
        proof: &'a [Hash],
    }
}

/// As the window's leaf hashes them.
#[repr(C)]
pub struct WindowTerms {
    /// Base units.
    paid: UnalignedU64,
    blind: [u8; 16],
}

// SAFETY: bytes.
unsafe impl InPlace for WindowTerms {}

impl Accounts {
    #[inline(always)]
    fn check(&self, &Data { index, terms, proof: hashes }: &Data) -> ProgramResult {
        let Accounts { config, schedule, vault, vault_token, pool, pool_token, mint, .. } = self;
        config.check_lost()?;
        accounts::is(&vault.view, &schedule.vault)?;
        accounts::is(vault_token, &vault.token_account)?;
        accounts::is(pool_token, &pool.token_account)?;
        accounts::is(mint, &schedule.mint)?;
        accounts::is(mint, &pool.mint)?;
        if !schedule.is_open() {
            return Err(Failure::WindowNotOpen.into());
        }
        if schedule.window_opening > pool.recorded_openings {
            // The recorded tree does not know of the window: nobody's recorded balance holds anything of it.
            if terms.paid.get() != 0 || !hashes.is_empty() {
                return Err(Failure::InvalidProof.into());
            }
            return Ok(());
        }
        let address = schedule.address().as_ref();
        let leaf = hash::liability_window(index, address, schedule.window, terms.as_bytes());
        Proof { index, hashes }.check(pool, leaf)?;
        Ok(())
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let accounts = Accounts::parse(accounts, program_id)?;
    let data = Data::parse(data)?;

    accounts.check(&data)?;
    let Accounts { mut schedule, mut vault, vault_token, mut pool, pool_token, mint, token_program, .. } = accounts;
    let paid = data.terms.paid.get();
    let unpaid = schedule.window_amount.checked_sub(paid).ok_or(Failure::BatchOutOfBounds)?;
    if schedule.window_opening <= pool.recorded_openings {
        pool.take_recorded(unpaid)?;
    }

    schedule.release_reserve(&mut vault)?;
    amount::sub(&mut vault.open, schedule.window_amount)?;
    vault.paid = vault.paid.wrapping_add(paid);
    pool.close_window(schedule.window_amount, unpaid)?;
    schedule.paid_total = schedule.paid_total.wrapping_add(paid);
    let window = schedule.window;
    schedule.close_window()?;
    schedule.executions_left = 0;
    schedule.status = ScheduleStatus::Cancelled.into();
    schedule.drop_proposal();

    if unpaid > 0 {
        Transfer {
            from: &pool_token,
            to: &vault_token,
            mint: &mint,
            token_program: &token_program,
            amount: unpaid,
            decimals: pool.decimals,
        }
        .out_of_pool(&pool)?;
    }
    events::WindowReclaimed { schedule: *schedule.address(), window, returned: unpaid }.emit();
    Ok(())
}
