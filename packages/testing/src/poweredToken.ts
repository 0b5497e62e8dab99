import { addressToBytes, findTokenAddress, sendToBase, TOKEN_2022_PROGRAM_ADDRESS } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  generateKeyPairSigner,
  type Instruction,
  lamports,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getFreezeAccountInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getThawAccountInstruction,
} from '@solana-program/token';
import type { World } from './world.ts';

/** A mint's length with extensions: behind a token account's, and a byte for its kind. */
const EXTENDED = 166;
const HEADER = 4;
const programAddress = TOKEN_2022_PROGRAM_ADDRESS;

/** Instructions of spl-token-2022's extensions, of which no package for this version of kit writes any. */
const FEE = { init: [26, 0], length: 108 };
const DELEGATE = { init: [35], length: 32 };
const HOOK = { init: [36, 0], length: 64 };
const PAUSABLE = { init: [44, 0], length: 33 };
const [PAUSE, RESUME] = [
  [44, 1],
  [44, 2],
] as const;

/** A mint over which its issuer, the world's admin, has all powers that large issuers keep; they use none yet. Each holder has some of it. */
export async function createPoweredToken(world: World, holders: readonly Address[], amount: bigint): Promise<Address> {
  const { admin: payer, ledgers } = world;
  const mint = await generateKeyPairSigner();
  const issuer = addressToBytes(payer.address);
  const some = [1, ...issuer];
  const extend = (init: readonly number[], ...rest: readonly number[]): Instruction => ({
    programAddress,
    accounts: [{ address: mint.address, role: AccountRole.WRITABLE }],
    data: Uint8Array.of(...init, ...rest),
  });
  const lengths = [FEE, DELEGATE, HOOK, PAUSABLE].map(({ length }) => HEADER + length);
  const space = BigInt(lengths.reduce((sum, length) => sum + length, EXTENDED));
  const rent = await ledgers.base.getMinimumBalanceForRentExemption(space).send();
  const ofProgram = { programAddress };
  const created = [
    getCreateAccountInstruction({ payer, newAccount: mint, lamports: lamports(rent), space, programAddress }),
    extend(FEE.init, ...some, ...some, ...new Uint8Array(10)),
    extend(DELEGATE.init, ...issuer),
    extend(HOOK.init, ...issuer, ...new Uint8Array(32)),
    extend(PAUSABLE.init, ...issuer),
    getInitializeMint2Instruction(
      { mint: mint.address, decimals: SAMPLE_DECIMALS, mintAuthority: payer.address, freezeAuthority: payer.address },
      ofProgram,
    ),
  ];
  await sendToBase(ledgers, created, payer);
  for (const owner of holders) {
    const token = await findTokenAddress(owner, mint.address, programAddress);
    const owned = { payer, owner, mint: mint.address, tokenProgram: programAddress };
    const given = [
      await getCreateAssociatedTokenIdempotentInstructionAsync(owned),
      getMintToInstruction({ mint: mint.address, token, mintAuthority: payer, amount }, ofProgram),
    ];
    await sendToBase(ledgers, given, payer);
  }
  return mint.address;
}

/** The issuer stops all transfers of such a token, or lets them through again. */
export async function pauseToken({ admin, ledgers }: World, mint: Address, isPaused: boolean): Promise<void> {
  const accounts: readonly AccountSignerMeta[] = [
    { address: admin.address, role: AccountRole.READONLY_SIGNER, signer: admin },
  ];
  const data = Uint8Array.from(isPaused ? PAUSE : RESUME);
  const instruction = { programAddress, accounts: [{ address: mint, role: AccountRole.WRITABLE }, ...accounts], data };
  await sendToBase(ledgers, [instruction], admin);
}

/** The issuer freezes the account of an owner, or thaws it. */
export async function freezeTokens(
  { admin, ledgers }: World,
  mint: Address,
  owner: Address,
  isFrozen: boolean,
): Promise<void> {
  const frozen = { account: await findTokenAddress(owner, mint, programAddress), mint, owner: admin };
  const instruction = isFrozen
    ? getFreezeAccountInstruction(frozen, { programAddress })
    : getThawAccountInstruction(frozen, { programAddress });
  await sendToBase(ledgers, [instruction], admin);
}
