import { patientRpc, type SendingOptions, sendToBase, systemTime } from '@payouts/client';
import { PROGRAM_DATA_HEADER_BYTES, programDataAddress, UPGRADEABLE_LOADER } from '@payouts/localnet';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  address,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
  lamports,
  type Rpc,
  type SolanaRpcApi,
} from '@solana/kit';
import { getCreateAccountInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';

/** The upgradeable loader's instructions, by number. */
const [INITIALIZE_BUFFER, WRITE, DEPLOY_WITH_MAX_DATA_LEN] = [0, 1, 2];
const RENT_SYSVAR = address('SysvarRent111111111111111111111111111111111');
const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');
const PROGRAM_BYTES = 36n;
const BUFFER_HEADER_BYTES = 37;
/** Bytes of a program that one transaction has room for. */
const CHUNK_BYTES = 900;
/** Writes that are under way at a time: all write the buffer, and more than four a second raise the price of that. */
const TOGETHER = 8;
/** Micro-lamports a compute unit that are bid at least, as by --with-compute-unit-price: enough for that many writers. */
const FEES = { floor: 50_000n, cap: 500_000n } as const;

type Deployment = {
  readonly payer: KeyPairSigner;
  readonly program: KeyPairSigner;
  readonly authority: KeyPairSigner;
  readonly elf: Buffer;
};

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const writable = (of: Address) => ({ address: of, role: AccountRole.WRITABLE }) as const;
const readonly = (of: Address) => ({ address: of, role: AccountRole.READONLY }) as const;
const signing = (signer: KeyPairSigner): AccountSignerMeta => ({
  address: signer.address,
  role: AccountRole.READONLY_SIGNER,
  signer,
});
const ofLoader = (accounts: Instruction['accounts'], ...data: readonly Buffer[]): Instruction => ({
  programAddress: UPGRADEABLE_LOADER,
  accounts: accounts ?? [],
  data: Buffer.concat(data),
});

/**
 * Deploys a program by the upgradeable loader, a buffer first. As Solana's tools send to the leaders and not to a node, it is sent by an
 * own node.
 */
export async function deployProgram(rpcUrl: string, { payer, program, authority, elf }: Deployment): Promise<void> {
  const ledgers = { base: patientRpc(`${rpcUrl}/own-node`, systemTime), time: systemTime };
  const sendWith =
    (sending: SendingOptions) =>
    (...instructions: readonly Instruction[]) =>
      sendToBase({ ...ledgers, sending: { fees: FEES, ...sending } }, instructions, payer);
  const send = sendWith({});
  // A write that a fork undoes is missed by the deployment, which is final.
  const write = sendWith({ commitment: 'confirmed' });
  const rent = async (space: bigint) => lamports(await ledgers.base.getMinimumBalanceForRentExemption(space).send());
  const create = async (newAccount: KeyPairSigner, space: bigint, reserved: bigint) =>
    getCreateAccountInstruction({
      payer,
      newAccount,
      lamports: await rent(reserved),
      space,
      programAddress: UPGRADEABLE_LOADER,
    });
  const buffer = await generateKeyPairSigner();
  const bufferBytes = BigInt(BUFFER_HEADER_BYTES + elf.length);
  await send(
    // Its lamports become the program's.
    await create(buffer, bufferBytes, BigInt(PROGRAM_DATA_HEADER_BYTES + elf.length)),
    ofLoader([writable(buffer.address), readonly(authority.address)], u32(INITIALIZE_BUFFER)),
  );
  const offsets = Array.from({ length: Math.ceil(elf.length / CHUNK_BYTES) }, (_, chunk) => chunk * CHUNK_BYTES);
  const writeNext = async (): Promise<void> => {
    for (let offset = offsets.shift(); offset !== undefined; offset = offsets.shift()) {
      const chunk = elf.subarray(offset, offset + CHUNK_BYTES);
      const accounts = [writable(buffer.address), signing(authority)];
      await write(ofLoader(accounts, u32(WRITE), u32(offset), u64(chunk.length), chunk));
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, writeNext));
  const dataAddress = await programDataAddress(program.address);
  await send(
    await create(program, PROGRAM_BYTES, PROGRAM_BYTES),
    ofLoader(
      [
        { address: payer.address, role: AccountRole.WRITABLE_SIGNER, signer: payer } as AccountSignerMeta,
        writable(dataAddress),
        writable(program.address),
        writable(buffer.address),
        readonly(RENT_SYSVAR),
        readonly(CLOCK_SYSVAR),
        readonly(SYSTEM_PROGRAM_ADDRESS),
        signing(authority),
      ],
      u32(DEPLOY_WITH_MAX_DATA_LEN),
      u64(elf.length),
    ),
  );
}

/** What stands at a deployed program's address. Throws when nothing does. */
export async function showProgram(base: Rpc<SolanaRpcApi>, program: Address): Promise<string> {
  const dataAddress = await programDataAddress(program);
  const { value } = await base.getAccountInfo(dataAddress, { encoding: 'base64' }).send();
  if (value === null) throw new Error(`Unable to find the account ${program}`);
  return `Program Id: ${program}\nData Length: ${value.space - BigInt(PROGRAM_DATA_HEADER_BYTES)} bytes\nBalance: ${
    Number(value.lamports) / 1e9
  } SOL`;
}
