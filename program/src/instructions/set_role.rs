//! Base. The employer gives a key a role, another one, or takes it back: then the account is closed and its lamports go to the payer. What a
//! role lets its holder ask is the coordinators' to say; this program asks nobody for its signature.

use crate::{prelude::*, state::NOBODY};

accounts! {
    #[selector(82)]
    pub struct Accounts {
        #[signer] employer: AccountView,
        #[signer] #[writable] payer: AccountView,
        #[writable] role: Derived<Role>,
        system_program: Known<SystemProgram>,
    }
}

data! {
    pub struct Data {
        /// Whose role it is.
        holder: Address,
        kind: Code<RoleKind>,
    }
}

#[inline(never)]
pub fn process(Context { program_id, accounts, data }: Context) -> ProgramResult {
    let Accounts { employer, mut payer, mut role, .. } = Accounts::parse(accounts, program_id)?;
    let Data { holder, kind } = Data::parse(data)?;

    let address = *employer.address();
    if kind.number > RoleKind::Clerk as u8 || holder == NOBODY || holder == address {
        return Err(Failure::InvalidRole.into());
    }
    let seeds = Role::seeds(address.as_ref(), holder.as_ref());
    let is_there = role.owned_by(program_id);
    let is_given = kind.number != RoleKind::None as u8;
    // A creation looks at the address by itself.
    if is_there || !is_given {
        accounts::derived(&role, &seeds, program_id)?;
    }
    if is_given {
        let mut role = if is_there {
            Account::of(&role, program_id)?
        } else {
            role.create(&Creation { payer: &payer, program_id, seeds: &seeds, size: size_of::<Role>() })?
        };
        role.employer = address;
        role.holder = holder;
        if role.given.number != kind.number {
            role.given = Code::new(kind.number);
            role.since = now()?;
        }
    } else if is_there {
        accounts::close(&mut role, &mut payer)?;
    }
    events::RoleSet { employer: address, holder, kind: kind.number }.emit();
    Ok(())
}
