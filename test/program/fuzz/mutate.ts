import { named } from '@payouts/testing/litesvm/addresses';
import type { Random } from '@payouts/testing/random';
import {
  type AccountMeta,
  AccountRole,
  type Address,
  type Instruction,
  isSignerRole,
  isWritableRole,
} from '@solana/kit';

/** Addresses to put in the place of others. */
export interface Strangers {
  /** Can sign: nobody has the key of an account that a program owns. */
  readonly wallets: readonly Address[];
  /** Anything at all. */
  readonly accounts: readonly Address[];
}

/** Makes an instruction wrong in one or more respects: signers, accounts, their roles, the data. */
export function mutate(instruction: Instruction, random: Random, strangers: Strangers): Instruction {
  let accounts = (instruction.accounts ?? []) as readonly AccountMeta[];
  let data: Uint8Array = Uint8Array.from(instruction.data ?? []);
  for (let changes = random.chance(0.8) ? 1 : 2; changes > 0; changes -= 1) {
    if (random.chance(0.65) && accounts.length > 0) accounts = mutateAccounts(accounts, random, strangers);
    else data = mutateData(data, random);
  }
  return { ...instruction, accounts, data };
}

function mutateAccounts(accounts: readonly AccountMeta[], random: Random, strangers: Strangers): AccountMeta[] {
  const place = random.below(accounts.length);
  const changed = [...accounts];
  const { address, role } = accounts[place] as AccountMeta;
  switch (random.below(8)) {
    case 0:
      changed[place] = { address, role: isWritableRole(role) ? AccountRole.WRITABLE : AccountRole.READONLY };
      break;
    case 1:
      changed[place] = { address, role: isSignerRole(role) ? AccountRole.READONLY_SIGNER : AccountRole.READONLY };
      break;
    case 2:
      changed.splice(place, 1);
      break;
    case 3: {
      const other = random.below(accounts.length);
      changed[place] = { address: (accounts[other] as AccountMeta).address, role };
      break;
    }
    case 4:
      changed[place] = { address: named(`nowhere ${random.u32()}`), role };
      break;
    default: {
      const from = isSignerRole(role) ? strangers.wallets : strangers.accounts;
      changed[place] = { address: random.pick(from), role };
    }
  }
  const cannotSign = changed.some((meta) => isSignerRole(meta.role) && !strangers.wallets.includes(meta.address));
  return cannotSign ? [...accounts] : changed;
}

function mutateData(data: Uint8Array, random: Random): Uint8Array {
  if (data.length === 0 || random.chance(0.1)) return new Uint8Array([...data, ...random.bytes(random.between(1, 9))]);
  if (random.chance(0.15)) return data.slice(0, random.below(data.length));
  if (random.chance(0.1)) return random.bytes(data.length);
  // The first byte selects: another one there is another instruction.
  const at = random.chance(0.05) ? 0 : random.below(data.length);
  data[at] = random.chance(0.5) ? random.below(256) : (data[at] ?? 0) ^ (1 << random.below(8));
  return data;
}
