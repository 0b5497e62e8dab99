import { readFileSync } from 'node:fs';
import { type Address, getProgramDerivedAddress } from '@solana/kit';
import { UPGRADEABLE_LOADER } from './addresses.ts';
import type { AccountState } from './baseLedger/account.ts';
import { addressBytes } from './baseLedger/base58.ts';
import { LocalnetError, messageOf } from './errors.ts';

/** A compiled program to place on the base ledger. */
export interface ProgramToLoad {
  readonly address: Address;
  /** The .so file. */
  readonly path: string;
  /** Who may upgrade it; without one the program is final. */
  readonly upgradeAuthority?: Address;
}

/** Where the program's code begins in its program data account, bytes. */
export const PROGRAM_DATA_HEADER_BYTES = 45;
const PROGRAM_BYTES = 36;
const KIND_PROGRAM = 2;
const KIND_PROGRAM_DATA = 3;
const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
/** Ample for any size; the ledger asks no more than rent exemption of an account set in place. */
const LAMPORTS_PER_BYTE = 6_960n;

/** The address of an upgradeable program's data account. */
export async function programDataAddress(program: Address): Promise<Address> {
  const [dataAddress] = await getProgramDerivedAddress({
    programAddress: UPGRADEABLE_LOADER,
    seeds: [addressBytes(program)],
  });
  return dataAddress;
}

/**
 * The two accounts of an upgradeable program: first its data (kind u32 = 3, slot u64, authority flag u8 and address, then
 * the ELF at byte 45), then the program itself (kind u32 = 2, data address). Set them in this order.
 */
export async function upgradeableProgram(program: ProgramToLoad): Promise<[AccountState, AccountState]> {
  const elf = readElf(program);
  const dataAddress = await programDataAddress(program.address);

  const data = Buffer.alloc(PROGRAM_DATA_HEADER_BYTES + elf.length);
  data.writeUInt32LE(KIND_PROGRAM_DATA, 0);
  if (program.upgradeAuthority !== undefined) {
    data.writeUInt8(1, 12);
    data.set(addressBytes(program.upgradeAuthority), 13);
  }
  data.set(elf, PROGRAM_DATA_HEADER_BYTES);

  const pointer = Buffer.alloc(PROGRAM_BYTES);
  pointer.writeUInt32LE(KIND_PROGRAM, 0);
  pointer.set(addressBytes(dataAddress), 4);

  return [account(dataAddress, data, false), account(program.address, pointer, true)];
}

function account(address: Address, data: Uint8Array, executable: boolean): AccountState {
  const lamports = (BigInt(data.length) + 128n) * LAMPORTS_PER_BYTE;
  return { address, lamports, owner: UPGRADEABLE_LOADER, data, executable };
}

function readElf(program: ProgramToLoad): Buffer {
  let elf: Buffer;
  try {
    elf = readFileSync(program.path);
  } catch (error) {
    throw new LocalnetError(
      'PROGRAM_UNREADABLE',
      `The program ${program.address} can't be read from ${program.path} (${messageOf(error)}): build it or name its .so file.`,
    );
  }
  if (!elf.subarray(0, 4).equals(ELF_MAGIC)) {
    throw new LocalnetError(
      'PROGRAM_UNREADABLE',
      `${program.path} is no compiled program: name the .so file that was built for ${program.address}.`,
    );
  }
  return elf;
}
