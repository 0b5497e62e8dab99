//! Execution layer. Closes an account in which nothing is left; its rent goes back to the token's counter.

use crate::{layer::EphemeralAccount, prelude::*};

accounts! {
    #[selector(74)]
    pub struct Accounts {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] personal: Account<Personal>,
        #[writable] counter: Account<Counter>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { authority, config, mut personal, counter, magic_program, ephemeral_vault } =
        Accounts::parse(accounts, program_id)?;
    <()>::parse(data)?;

    config.check_authority(&authority)?;
    if counter.mint != personal.mint {
        return Err(Failure::InvalidAccount.into());
    }
    if !personal.is_idle() {
        return Err(Failure::WithdrawalUnderWay.into());
    }
    let bump = [counter.header.bump];
    EphemeralAccount {
        sponsor: &counter.view,
        sponsor_seeds: &Counter::signer_seeds(counter.mint.as_ref(), &bump),
        ephemeral_vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .close(&personal.view)
}
