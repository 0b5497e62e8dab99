//! Base, once the execution layer is lost. A recipient takes the balance that the recorded tree shows, from the pool, once.

use crate::{
    data::{InPlace, UnalignedU64},
    liabilities::Proof,
    numbers::{Mark, is_paid},
    prelude::*,
    token::Transfer,
};

accounts! {
    #[selector(26)]
    pub struct Accounts {
        #[signer] recipient: AccountView,
        #[signer] #[writable] payer: AccountView,
        config: Account<Config>,
        #[writable] pool: Account<Pool>,
        #[writable] pool_token: AccountView,
        #[writable] destination_token: AccountView,
        mint: AccountView,
        token_program: AccountView,
        #[writable] redeemed: Derived<RedeemedPage>,
        page: Derived<Page>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data<'a> {
        /// Of the leaf in the liabilities tree.
        index: u32,
        /// Opens the leaf's owner.
        opening: &'a [u8; 16],
        /// 1: the balance goes to the recipient's own wallet.
        delivery: u8,
        #[flatten]
        terms: &'a BalanceTerms,
        proof: &'a [Hash],
    }
}

/// As the leaf hashes them.
#[repr(C)]
pub struct BalanceTerms {
    /// Base units.
    amount: UnalignedU64,
    /// Number of the withdrawal that the leaf is of; 0: it is a balance's.
    number: UnalignedU64,
    blind: [u8; 16],
}

// SAFETY: bytes.
unsafe impl InPlace for BalanceTerms {}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts {
        recipient,
        payer,
        config,
        mut pool,
        pool_token,
        destination_token,
        mint,
        token_program,
        redeemed,
        page,
        ..
    } = Accounts::parse(accounts, program_id)?;
    let Data { index, opening, delivery, terms, proof: hashes } = Data::parse(data)?;

    config.check_lost()?;
    accounts::is(&pool_token, &pool.token_account)?;
    accounts::is(&mint, &pool.mint)?;
    // Tokens paid to the pool itself would be counted as gone without going.
    if destination_token.address() == pool_token.address() {
        return Err(Failure::InvalidTokenAccount.into());
    }
    let owner = hash::owner(recipient.address().as_ref(), opening, delivery);
    let leaf = hash::liability_balance(index, &owner, terms.as_bytes());
    Proof { index, hashes }.check(&pool, leaf)?;
    let (due, number) = (terms.amount.get(), terms.number.get());
    if due == 0 {
        return Err(Failure::ZeroAmount.into());
    }
    // A withdrawal that the base has paid left the pool already.
    if number != 0 && is_paid(&page, &pool.mint, number, program_id)? {
        return Err(Failure::WithdrawalAlreadyPaid.into());
    }

    Mark { page: redeemed, payer: &payer, mint: &pool.mint, number: u64::from(index), program_id }.invoke()?;
    pool.pay(due)?;
    pool.redeemed = pool.redeemed.wrapping_add(due);
    let (from, to, mint, token_program) = (&pool_token, &destination_token, &mint, &token_program);
    Transfer { from, to, mint, token_program, amount: due, decimals: pool.decimals }.out_of_pool(&pool)?;
    events::BalanceRedeemed { mint: pool.mint, index, amount: due }.emit();
    Ok(())
}
