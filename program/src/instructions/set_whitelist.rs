//! Base. Governance puts an employer or a mint on the whitelist, or takes it off.

use crate::{
    accounts,
    context::Context,
    data::Reader,
    errors::Failure,
    events::{Event, Kind},
    state::{Config, Header, WhitelistEntry, load, load_mut, store},
};
use pinocchio::{
    ProgramResult,
    cpi::Seed,
    error::ProgramError,
    sysvars::{Sysvar, clock::Clock},
};

#[inline(never)]
pub fn process(context: Context) -> ProgramResult {
    let Context { program_id, accounts, data } = context;
    let [governance, payer, config, entry, system_program] = accounts else {
        return Err(ProgramError::NotEnoughAccountKeys);
    };
    let mut reader = Reader::new(data);
    let subject = reader.address()?;
    let allowed = reader.u8()?;
    reader.end()?;

    load::<Config>(config, program_id)?.check_governance(governance)?;
    accounts::signer(payer)?;
    accounts::system_program(system_program)?;
    if allowed > 1 {
        return Err(Failure::InvalidData.into());
    }
    let bump = accounts::derived(entry, &[WhitelistEntry::SEED, subject.as_ref()], program_id)?;

    let set_at = Clock::get()?.unix_timestamp;
    if entry.owned_by(program_id) {
        let entry = load_mut::<WhitelistEntry>(entry, program_id)?;
        entry.allowed = allowed;
        entry.set_at = set_at;
    } else {
        let bump_seed = [bump];
        let seeds = [Seed::from(WhitelistEntry::SEED), Seed::from(subject.as_ref()), Seed::from(&bump_seed)];
        accounts::Create { account: entry, size: size_of::<WhitelistEntry>(), payer, program_id, seeds: &seeds }
            .invoke()?;
        store(
            entry,
            WhitelistEntry {
                header: Header::new::<WhitelistEntry>(bump),
                allowed,
                reserved_head: [0; 4],
                subject,
                set_at,
                reserved: [0; 48],
            },
        )?;
    }
    Event::new(Kind::WhitelistSet).address(&subject).u8(allowed).emit();
    Ok(())
}
