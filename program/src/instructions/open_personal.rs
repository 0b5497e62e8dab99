//! Execution layer. Makes the account that holds what a recipient asks of their balance. The token's counter pays for it: recipients have
//! no lamports in the layer, and the account is closed when nothing is left in it.

use crate::{
    authority::Authority,
    layer::EphemeralAccount,
    permission::{Permissions, Subject},
    prelude::*,
    state::check_wallet,
};

accounts! {
    #[selector(73)]
    pub struct Accounts {
        #[signer] signer: AccountView,
        config: Account<Config>,
        #[writable] page: Account<BalancePage>,
        #[writable] personal: Derived<Personal>,
        #[writable] counter: Account<Counter>,
        execution_authority: AccountView,
        /// Written where the account is to be private: the layer lets nobody name as written what isn't there in the end.
        #[seeds(permissioned = personal)] permission: AccountView,
        permission_program: Known<PermissionProgram>,
        magic_program: Known<MagicProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
        instructions_sysvar: Known<InstructionsSysvar>,
    }
}

data! {
    pub struct Data<'a> {
        recipient: Address,
        /// Opens the slot's owner.
        opening: &'a [u8; 16],
        /// 1: the balance goes to the recipient's own wallet.
        delivery: u8,
        slot: u8,
        /// Among those of this balance, from 1 to 32,767: the account's address follows from it. The next one as a rule, any other where
        /// somebody has sent lamports to that address ahead.
        number: u16,
        /// Withdrawals that may be under way at a time.
        withdrawals: u8,
        /// 1: the layer has read permissions, and the execution authority alone may read it.
        is_private: u8,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts {
        signer,
        config,
        mut page,
        personal,
        counter,
        execution_authority,
        permission,
        permission_program,
        magic_program,
        ephemeral_vault,
        instructions_sysvar,
    } = Accounts::parse(accounts, program_id)?;
    let Data { recipient, opening, delivery, slot, number, withdrawals, is_private } = Data::parse(data)?;

    accounts::is(&execution_authority, &config.execution_authority)?;
    if config.check_authority(&signer).is_err() {
        let (signer, instructions_sysvar, balance) = (&signer, &instructions_sysvar, personal.address());
        Authority { signer, instructions_sysvar, balance, program_id }.check(&recipient)?;
    }
    let mint = page.mint;
    if counter.mint != mint {
        return Err(Failure::InvalidAccount.into());
    }
    if delivery > 1 || is_private > 1 || withdrawals == 0 || withdrawals > Personal::MOST {
        return Err(Failure::InvalidData.into());
    }
    // Lists are their employers', and may have a delivery go to anybody.
    if delivery != 0 {
        check_wallet(&recipient, &mint, program_id)?;
    }
    let owner = hash::owner(recipient.as_ref(), opening, delivery);
    page.open_personal(slot, &owner, number)?;
    let nonce = hash::personal_nonce(&hash::personal_key(&page.nonce, &owner), number);
    let bump = [accounts::derived(&personal, &Personal::seeds(mint.as_ref(), &nonce), program_id)?];

    let counter_bump = [counter.header.bump];
    let sponsor_seeds = Counter::signer_seeds(mint.as_ref(), &counter_bump);
    let seeds = Personal::signer_seeds(mint.as_ref(), &nonce, &bump);
    EphemeralAccount {
        sponsor: &counter.view,
        sponsor_seeds: &sponsor_seeds,
        ephemeral_vault: &ephemeral_vault,
        magic_program: &magic_program,
    }
    .create(&personal, &seeds, Personal::size(withdrawals))?;
    let mut made = Account::<Personal>::created(&personal, bump[0])?;
    made.mint = mint;
    made.owner = owner;
    made.recipient = recipient;
    made.page = *page.address();
    made.slot = slot;
    made.nonce = nonce;
    made.delivery = delivery;
    made.next_id = 1;
    made.made_at = now()?;
    made.note();
    events::PersonalOpened {}.emit();
    if is_private == 0 {
        return Ok(());
    }
    let permissions = Permissions {
        authority: &execution_authority,
        payer: &counter.view,
        payer_seeds: &sponsor_seeds,
        permission_program: &permission_program,
        vault: &ephemeral_vault,
        magic_program: &magic_program,
    };
    permissions.set(&Subject { account: &personal, permission: &permission, seeds: &seeds })?;
    // Nobody else is to read it for a moment; another address is as good.
    permissions.check_set(&permission)
}
