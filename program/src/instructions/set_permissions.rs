//! Execution layer. Sets who may read private balances and an open window's batch, where the layer has read permissions.

use crate::{
    permission::{Permissions, Subject},
    prelude::*,
};

accounts! {
    #[selector(39)]
    #[remaining(pairs)]
    pub struct Accounts<'a> {
        #[signer] authority: AccountView,
        config: Account<Config>,
        #[writable] batch: Account<Batch>,
        permission_program: Known<PermissionProgram>,
        #[writable] ephemeral_vault: Known<EphemeralVault>,
        magic_program: Known<MagicProgram>,
    }
}

data! {
    pub struct Data<'a> {
        /// 1: the first pair is the batch's own.
        of_batch: u8,
        /// Of the balances' owners, in the order of the other pairs.
        salts: &'a [[u8; 16]],
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let accounts = Accounts::parse(accounts, program_id)?;
    let Data { of_batch, salts } = Data::parse(data)?;

    let Accounts { batch, .. } = &accounts;
    accounts.config.check_authority(&accounts.authority)?;
    batch.check_open()?;
    let (pairs, rest) = accounts.pairs.as_chunks::<2>();
    if of_batch > 1
        || !rest.is_empty()
        || pairs.is_empty()
        || pairs.len() != salts.len().wrapping_add(usize::from(of_batch))
    {
        return Err(Failure::InvalidData.into());
    }

    let bump = [batch.header.bump];
    let batch_seeds = Batch::signer_seeds(batch.schedule.as_ref(), &bump);
    let permissions = Permissions {
        authority: &accounts.authority,
        batch: &batch.view,
        batch_seeds: &batch_seeds,
        permission_program: &accounts.permission_program,
        vault: &accounts.ephemeral_vault,
        magic_program: &accounts.magic_program,
    };
    let (own, balances) = pairs.split_at(usize::from(of_batch));
    for [account, permission] in own {
        accounts::is(account, batch.address())?;
        permissions.set(&Subject { account, permission, seeds: &batch_seeds, recipient: None })?;
    }
    for ([account, permission], salt) in balances.iter().zip(salts) {
        let balance = Account::<Balance>::of(account, program_id)?;
        if balance.mint != batch.mint {
            return Err(Failure::InvalidAccount.into());
        }
        let seed = hash::balance_seed(balance.mint.as_ref(), balance.recipient.as_ref(), salt);
        let bump = [balance.header.bump];
        accounts::at(account, &[Balance::SEED, &seed, &bump], program_id)?;
        let seeds = Balance::signer_seeds(&seed, &bump);
        permissions.set(&Subject { account, permission, seeds: &seeds, recipient: Some(&balance.recipient) })?;
    }
    Ok(())
}
