//! Base, called by the delegation program as the handler of a base action: pays one withdrawal from the pool.

use crate::{
    layer::{ESCROW_INDEX, ESCROW_SEED},
    numbers::Mark,
    prelude::*,
    sponsor::Sponsor,
    token::{CreateAssociated, Transfer},
};
use pinocchio::{error::ProgramError, sysvars::instructions::Instructions};

accounts! {
    #[selector(17)]
    pub struct Accounts {
        #[writable] pool: Account<Pool>,
        #[writable] pool_token: AccountView,
        mint: AccountView,
        wallet: AccountView,
        #[writable] wallet_token: AccountView,
        #[writable] page: Derived<Page>,
        #[writable] sponsor: AccountView,
        config: Account<Config>,
        instructions_sysvar: Known<InstructionsSysvar>,
        token_program: AccountView,
        associated_token_program: Known<AssociatedTokenProgram>,
        system_program: Known<SystemProgram>,
        #[default(program)] source_program: AccountView,
        #[default(pool)] escrow_authority: AccountView,
        #[signer] #[writable] escrow: AccountView,
    }
}

data! {
    pub struct Data<'a> {
        number: u64,
        /// Base units.
        amount: u64,
        proven: WithdrawalProof<'a>,
    }
}

impl Accounts {
    /// The escrow is the pool's: only the delegation program can make it sign. It does so for any validator that is registered with it, so
    /// the one that is trusted with this pool must have signed.
    #[inline(always)]
    fn check_sender(&self, program_id: &Address) -> ProgramResult {
        let pool = self.pool.address();
        let seeds = [ESCROW_SEED, pool.as_ref(), &[ESCROW_INDEX]];
        if self.source_program.address() != program_id
            || self.escrow_authority.address() != pool
            || accounts::derived(&self.escrow, &seeds, &DelegationProgram::ADDRESS).is_err()
        {
            return Err(Failure::InvalidEscrow.into());
        }
        if !is_sent_by(&self.pool.validator, &self.instructions_sysvar)? {
            return Err(Failure::NotValidator.into());
        }
        self.config.check_not_lost()
    }

    #[inline(always)]
    fn check_payment(&self, &Data { number, amount, ref proven }: &Data) -> Result<(), Failure> {
        let Accounts { pool, pool_token, mint, wallet, token_program, .. } = self;
        accounts::is(pool_token, &pool.token_account)?;
        accounts::is(mint, &pool.mint)?;
        accounts::is(token_program, &pool.token_program)?;
        if number == 0 {
            return Err(Failure::InvalidData);
        }
        if amount == 0 {
            return Err(Failure::ZeroAmount);
        }
        // Tokens paid to the pool itself would be counted as gone without going.
        if wallet.address() == pool.address() {
            return Err(Failure::InvalidTokenAccount);
        }
        // Else somebody takes one base unit at a time to fresh wallets, and the rent of their accounts.
        if self.wallet_token.is_data_empty() && amount < pool.least_opening {
            return Err(Failure::BelowLeastOpening);
        }
        // Neither the layer's nor its validator's word: what is paid, and to whom, was recorded by the execution authority, with a
        // liabilities tree that knows of it, so that no balance that was paid out can be redeemed.
        Withdrawal { number, amount, wallet: wallet.address() }.check_recorded(pool, proven)
    }
}

/// Whether the delegation program was called by the transaction itself, with this validator's signature. The delegation program
/// keeps the validator's account from a handler, so the handler looks at the instruction that called.
#[inline(always)]
fn is_sent_by(validator: &Address, instructions_sysvar: &AccountView) -> Result<bool, ProgramError> {
    let instructions = Instructions::try_from(instructions_sysvar)?;
    let calling = instructions.get_instruction_relative(0)?;
    let first = calling.get_instruction_account_at(0)?;
    Ok(calling.get_program_id() == &DelegationProgram::ADDRESS && first.is_signer() && &first.key == validator)
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let accounts = Accounts::parse(accounts, program_id)?;
    let data = Data::parse(data)?;

    accounts.check_sender(program_id)?;
    accounts.check_payment(&data)?;

    let Accounts { mut pool, pool_token, mint, wallet, wallet_token, page, sponsor, token_program, .. } = accounts;
    let Data { number, amount, .. } = data;
    let token = pool.mint;
    let payer = Sponsor::new(&sponsor, &token, pool.sponsor_bump, program_id)?;
    if !page.owned_by(program_id) {
        payer.fund(&page, Page::SIZE)?;
    }
    Mark { page, payer: &sponsor, mint: &token, number, program_id }.invoke()?;
    pool.pay(amount)?;
    pool.withdrawals = pool.withdrawals.checked_add(1).ok_or(Failure::Overflow)?;
    pool.highest_withdrawal = pool.highest_withdrawal.max(number);

    let (mint, token_program) = (&mint, &token_program);
    let system_program = &accounts.system_program;
    payer.open(&CreateAssociated { account: &wallet_token, wallet: &wallet, mint, system_program, token_program })?;
    let (from, to, decimals) = (&pool_token, &wallet_token, pool.decimals);
    Transfer { from, to, mint, token_program, amount, decimals }.out_of_pool(&pool)?;
    events::WithdrawalPaid { mint: pool.mint, number, amount }.emit();
    Ok(())
}
