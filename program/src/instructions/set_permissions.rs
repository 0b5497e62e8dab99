//! Execution layer. Sets who may read private balances and an open window's batch, where the layer has read permissions.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    hash, layer,
    permission::{self, Permissions, Subject},
    state::{Balance, Batch, BatchPhase, Config, load, load_mut},
};
use pinocchio::{ProgramResult, cpi::Seed, error::ProgramError};

const SALT: usize = 16;

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [authority, config, batch, permission_program, vault, magic_program, pairs @ ..] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let has_batch = reader.u8()?;
    let count = usize::from(reader.u16()?);
    let (salts, _) = reader.bytes(count.wrapping_mul(SALT))?.as_chunks::<SALT>();
    reader.end()?;

    load::<Config>(config, program_id)?.check_authority(authority)?;
    permission::check_program(permission_program)?;
    layer::check_ephemeral_vault(vault)?;
    layer::check_magic_program(magic_program)?;
    let batch_view = *batch;
    let batch = load_mut::<Batch>(batch, program_id)?;
    if batch.phase != BatchPhase::Open as u8 {
        return Err(Failure::BatchNotOpen.into());
    }
    let (pairs, rest) = pairs.as_chunks::<2>();
    if has_batch > 1
        || !rest.is_empty()
        || pairs.is_empty()
        || pairs.len() != count.wrapping_add(usize::from(has_batch))
    {
        return Err(Failure::InvalidData.into());
    }

    let bump = [batch.header.bump];
    let batch_seeds = [Seed::from(Batch::SEED), Seed::from(batch.schedule.as_ref()), Seed::from(&bump)];
    let permissions = Permissions {
        authority,
        batch: &batch_view,
        batch_seeds: &batch_seeds,
        permission_program,
        vault,
        magic_program,
    };
    let (own, balances) = pairs.split_at(usize::from(has_batch));
    for [account, permission] in own {
        accounts::is(account, batch_view.address())?;
        permissions.set(&Subject { account, permission, seeds: &batch_seeds, recipient: None })?;
    }
    for ([account, permission], salt) in balances.iter().zip(salts) {
        let balance = load::<Balance>(account, program_id)?;
        if balance.mint != batch.mint {
            return Err(Failure::InvalidAccount.into());
        }
        let seed = hash::balance_seed(balance.mint.as_ref(), balance.recipient.as_ref(), salt);
        let bump = [balance.header.bump];
        accounts::at(account, &[Balance::SEED, &seed, &bump], program_id)?;
        let seeds = [Seed::from(Balance::SEED), Seed::from(&seed), Seed::from(&bump)];
        permissions.set(&Subject { account, permission, seeds: &seeds, recipient: Some(&balance.recipient) })?;
    }
    Ok(())
}
