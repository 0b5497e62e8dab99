//! Base. Creates a mint's counter of withdrawals and delegates it to the execution layer for good. Anybody may.

use crate::{delegation::Delegate, prelude::*};

accounts! {
    #[selector(5)]
    pub struct Accounts {
        #[signer] #[writable] payer: AccountView,
        pool: Account<Pool>,
        #[writable] counter: Derived<Counter>,
        #[writable] #[seeds(delegated = counter)] buffer: AccountView,
        #[writable] #[seeds(delegated = counter)] delegation_record: AccountView,
        #[writable] #[seeds(delegated = counter)] delegation_metadata: AccountView,
        delegation_program: Known<DelegationProgram>,
        owner_program: ThisProgram,
        system_program: Known<SystemProgram>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts {
        payer,
        pool,
        counter,
        buffer,
        delegation_record,
        delegation_metadata,
        owner_program,
        system_program,
        ..
    } = Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    let (mint, size) = (pool.mint, size_of::<Counter>());
    let seeds = Counter::seeds(mint.as_ref());
    let mut counter = counter.create(&Creation { payer: &payer, program_id, seeds: &seeds, size })?;
    counter.mint = mint;
    counter.next = 1;
    Delegate {
        validator: pool.validator,
        seeds: &seeds,
        bump: counter.header.bump,
        payer,
        account: counter.view,
        owner_program: *owner_program,
        buffer,
        delegation_record,
        delegation_metadata,
        system_program: *system_program,
    }
    .invoke()?;
    events::CounterCreated { mint }.emit();
    Ok(())
}
