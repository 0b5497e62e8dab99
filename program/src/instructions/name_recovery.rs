//! Execution layer. A recipient names who may take over their balance when they can't themselves: the first one at once, another one, or
//! nobody, after as long as a recovery takes.

use crate::{authority::Authority, layer::CreateEphemeral, prelude::*};

accounts! {
    #[selector(67)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        balance: Account<Balance>,
        #[writable] recovery: Derived<Recovery>,
        #[writable] counter: Account<Counter>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data {
        /// Zero: nobody.
        wallet: Address,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { signer, balance, recovery, counter, magic_program, ephemeral_vault, instructions_sysvar } =
        Accounts::parse(accounts, program_id)?;
    let Data { wallet } = Data::parse(data)?;

    Authority { signer: &signer, instructions_sysvar: &instructions_sysvar, balance: balance.address(), program_id }
        .check(&balance.recipient)?;
    if counter.mint != balance.mint {
        return Err(Failure::InvalidAccount.into());
    }
    // Whoever has lost their own key recovers nothing with it.
    if wallet == balance.recipient {
        return Err(Failure::InvalidWallet.into());
    }

    let now = now()?;
    if recovery.owned_by(program_id) {
        Recovery::of_balance(&recovery, balance.address(), now, program_id)?.name(balance.address(), &wallet, now)?;
    } else {
        if wallet == Address::default() {
            return Err(Failure::NotRecoveryWallet.into());
        }
        let seeds = Recovery::seeds(balance.address().as_ref());
        let bump = [accounts::derived(&recovery, &seeds, program_id)?];
        let counter_bump = [counter.header.bump];
        let counter_seeds = Counter::signer_seeds(counter.mint.as_ref(), &counter_bump);
        let mut creation =
            CreateEphemeral::<Recovery>::new(&counter.view, &ephemeral_vault, &magic_program, &counter_seeds);
        if !creation.can_pay()? {
            return Err(Failure::RecoveryUnfunded.into());
        }
        creation.invoke(&recovery, &Recovery::signer_seeds(balance.address().as_ref(), &bump));
        Account::<Recovery>::created(&recovery, bump[0])?.set(balance.address(), &wallet, now);
    }
    events::RecoveryNamed {}.emit();
    Ok(())
}
