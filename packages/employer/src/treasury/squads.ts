import {
  AccountRole,
  type Address,
  fixDecoderSize,
  getAddressDecoder,
  getAddressEncoder,
  getArrayDecoder,
  getBooleanEncoder,
  getBytesDecoder,
  getI64Decoder,
  getOptionDecoder,
  getProgramDerivedAddress,
  getStructDecoder,
  getU8Decoder,
  getU16Decoder,
  getU32Decoder,
  getU32Encoder,
  getU64Decoder,
  getU64Encoder,
  type Instruction,
  mergeBytes,
  type ReadonlyUint8Array,
  type TransactionSigner,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { type StoredMessage, storedMessageDecoder } from './message.ts';

/** Squads' multisig program, version 4: its accounts and those of its instructions that a member needs, as its IDL has them. */
export const SQUADS_PROGRAM = 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf' as Address;

const KINDS = {
  multisig: [224, 116, 121, 186, 68, 161, 79, 236],
  transaction: [168, 250, 162, 100, 81, 14, 162, 207],
  proposal: [26, 94, 189, 187, 116, 136, 53, 33],
} as const;

const SELECTORS = {
  create: [48, 250, 78, 168, 208, 226, 218, 211],
  propose: [220, 60, 73, 224, 30, 108, 79, 159],
  approve: [144, 37, 164, 136, 188, 216, 42, 248],
  reject: [243, 62, 134, 156, 230, 106, 246, 135],
  execute: [194, 8, 161, 87, 153, 164, 25, 171],
} as const;

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const [PREFIX, VAULT, TRANSACTION, PROPOSAL] = ['multisig', 'vault', 'transaction', 'proposal'].map(text) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const addressBytes = (address: Address): ReadonlyUint8Array => getAddressEncoder().encode(address);
const numberBytes = (number: bigint): ReadonlyUint8Array => getU64Encoder().encode(number);
const derive = async (...seeds: readonly ReadonlyUint8Array[]): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: SQUADS_PROGRAM, seeds: [...seeds] }))[0];

/** The vault of a multisig with a number: an address that signs what enough members have approved. */
export const findTreasuryAddress = (multisig: Address, index = 0): Promise<Address> =>
  derive(PREFIX, addressBytes(multisig), VAULT, Uint8Array.of(index));

/** Where a transaction of a multisig is kept, and where its members vote on it. */
export const findTransactionAddress = (multisig: Address, index: bigint): Promise<Address> =>
  derive(PREFIX, addressBytes(multisig), TRANSACTION, numberBytes(index));
export const findVoteAddress = (multisig: Address, index: bigint): Promise<Address> =>
  derive(PREFIX, addressBytes(multisig), TRANSACTION, numberBytes(index), PROPOSAL);

/** What a member may do, as bits. */
export const PERMISSIONS = { initiate: 1, vote: 2, execute: 4 } as const;
export type Permission = keyof typeof PERMISSIONS;

/** What a member is called who may do it. */
const MEMBER_ROLES = { initiate: 'preparer', vote: 'approver', execute: 'executor' } as const;
export type MemberRole = (typeof MEMBER_ROLES)[Permission];

/** The roles of a member: a preparer proposes, an approver votes, an executor carries out. */
export const memberRoles = (permissions: number): MemberRole[] =>
  (Object.keys(PERMISSIONS) as Permission[]).flatMap((may) =>
    (permissions & PERMISSIONS[may]) === 0 ? [] : [MEMBER_ROLES[may]],
  );

const kind = fixDecoderSize(getBytesDecoder(), 8);

const multisigDecoder = getStructDecoder([
  ['kind', kind],
  ['createKey', getAddressDecoder()],
  ['configAuthority', getAddressDecoder()],
  ['threshold', getU16Decoder()],
  ['timeLock', getU32Decoder()],
  ['transactionIndex', getU64Decoder()],
  ['staleTransactionIndex', getU64Decoder()],
  ['rentCollector', getOptionDecoder(getAddressDecoder())],
  ['bump', getU8Decoder()],
  [
    'members',
    getArrayDecoder(
      getStructDecoder([
        ['key', getAddressDecoder()],
        ['permissions', getU8Decoder()],
      ]),
      { size: getU32Decoder() },
    ),
  ],
]);

/** A multisig, as far as members need it; `timeLock` in seconds. */
export type Multisig = {
  readonly threshold: number;
  readonly timeLock: number;
  readonly transactionIndex: bigint;
  readonly staleTransactionIndex: bigint;
  readonly members: readonly { readonly key: Address; readonly permissions: number }[];
};

/** A transaction that members vote on. */
export type TreasuryTransaction = {
  readonly creator: Address;
  readonly vaultIndex: number;
  readonly message: StoredMessage;
};

const transactionDecoder = getStructDecoder([
  ['kind', kind],
  ['multisig', getAddressDecoder()],
  ['creator', getAddressDecoder()],
  ['index', getU64Decoder()],
  ['bump', getU8Decoder()],
  ['vaultIndex', getU8Decoder()],
  ['vaultBump', getU8Decoder()],
  ['ephemeralSignerBumps', getArrayDecoder(getU8Decoder(), { size: getU32Decoder() })],
  ['message', storedMessageDecoder],
]);

export const VOTE_STATUSES = ['draft', 'active', 'rejected', 'approved', 'executing', 'executed', 'cancelled'] as const;
export type VoteStatus = (typeof VOTE_STATUSES)[number];

/** How a vote stands; `since` in unix seconds. */
export type Vote = {
  readonly status: VoteStatus;
  readonly since: bigint;
  readonly approved: readonly Address[];
  readonly rejected: readonly Address[];
};

const keys = getArrayDecoder(getAddressDecoder(), { size: getU32Decoder() });
const voteHead = getStructDecoder([
  ['kind', kind],
  ['multisig', getAddressDecoder()],
  ['index', getU64Decoder()],
  ['status', getU8Decoder()],
]);
const since = getI64Decoder();
const voteTail = getStructDecoder([
  ['bump', getU8Decoder()],
  ['approved', keys],
  ['rejected', keys],
]);
/** The one status that says nothing of when it began. */
const EXECUTING = 4;

const isKind = (bytes: ReadonlyUint8Array, name: keyof typeof KINDS): boolean =>
  KINDS[name].every((byte, place) => bytes[place] === byte);

/** A multisig's account; undefined: it is none. */
export const decodeMultisig = (bytes: ReadonlyUint8Array): Multisig | undefined =>
  isKind(bytes, 'multisig') ? multisigDecoder.decode(bytes) : undefined;

/** A transaction's account; undefined: it is none of that multisig, or one that makes signers of its own, as nothing here does. */
export function decodeTransaction(bytes: ReadonlyUint8Array, multisig: Address): TreasuryTransaction | undefined {
  if (!isKind(bytes, 'transaction')) return undefined;
  const found = transactionDecoder.decode(bytes);
  return found.multisig === multisig && found.ephemeralSignerBumps.length === 0 ? found : undefined;
}

/** A vote's account; undefined: it is none of that multisig. */
export function decodeVote(bytes: ReadonlyUint8Array, multisig: Address): Vote | undefined {
  if (!isKind(bytes, 'proposal')) return undefined;
  const [head, at] = voteHead.read(bytes, 0);
  const [began, then] = head.status === EXECUTING ? [0n, at] : since.read(bytes, at);
  const status = VOTE_STATUSES[head.status];
  if (status === undefined || head.multisig !== multisig) return undefined;
  const { approved, rejected } = voteTail.decode(bytes, then);
  return { status, since: began, approved, rejected };
}

/** What members' calls are called, and where in each the member and the account that is voted on are. */
const MEMBER_CALLS: readonly {
  readonly selector: readonly number[];
  readonly what: string | undefined;
  readonly member: number;
  readonly vote: number;
}[] = [
  // Its transaction has a number that only the vote's opening names, which goes with it.
  { selector: SELECTORS.create, what: undefined, member: 2, vote: 1 },
  { selector: SELECTORS.propose, what: 'proposed', member: 2, vote: 1 },
  { selector: SELECTORS.approve, what: 'approved', member: 1, vote: 2 },
  { selector: SELECTORS.reject, what: 'rejected', member: 1, vote: 2 },
  { selector: SELECTORS.execute, what: 'executed', member: 3, vote: 1 },
  // By Squads' own app.
  { selector: [27, 42, 127, 237, 38, 163, 84, 203], what: 'withdrew approval', member: 1, vote: 2 },
  { selector: [205, 41, 194, 61, 220, 139, 16, 247], what: 'withdrew approval', member: 1, vote: 2 },
  { selector: [114, 146, 244, 189, 252, 140, 36, 40], what: 'changed members or rules', member: 1, vote: 2 },
];

/** What a member has done by a call of Squads' program. */
export type MemberCall = {
  readonly multisig: Address;
  /** Undefined: nothing by itself. */
  readonly what: string | undefined;
  readonly member: Address;
  readonly vote: Address;
  /** Of the transaction, where the call names it. */
  readonly number?: bigint;
};

/** Reads a call; undefined: it is none that members of a multisig make. */
export function readMemberCall({
  programAddress,
  accounts,
  data,
}: {
  readonly programAddress: Address;
  readonly accounts: readonly Address[];
  readonly data: ReadonlyUint8Array;
}): MemberCall | undefined {
  const made = MEMBER_CALLS.find(({ selector }) => selector.every((byte, place) => data[place] === byte));
  const [multisig, member, vote] = [accounts[0], accounts[made?.member ?? -1], accounts[made?.vote ?? -1]];
  if (programAddress !== SQUADS_PROGRAM || !made || !multisig || !member || !vote) return undefined;
  const isOpening = made.selector === SELECTORS.propose && data.length >= 16;
  return { what: made.what, multisig, member, vote, ...(isOpening && { number: getU64Decoder().decode(data, 8) }) };
}

type Account = NonNullable<Instruction['accounts']>[number];
const account = (address: Address, role: AccountRole): Account => ({ address, role });
const signing = (signer: TransactionSigner, role: AccountRole.READONLY_SIGNER | AccountRole.WRITABLE_SIGNER): Account =>
  ({ address: signer.address, role, signer }) as Account;
const call = (
  selector: keyof typeof SELECTORS,
  accounts: readonly Account[],
  ...data: readonly ReadonlyUint8Array[]
): Instruction => ({
  programAddress: SQUADS_PROGRAM,
  accounts,
  data: mergeBytes([Uint8Array.from(SELECTORS[selector]), ...(data as readonly Uint8Array[])]),
});

/** No ephemeral signers, and no memo: what is said in one is public for good. */
const NONE = Uint8Array.of(0);

/** Whose multisig, which of its transactions, and the member who acts. */
export type Voting = { readonly multisig: Address; readonly index: bigint; readonly member: TransactionSigner };

/** Keeps a message of a vault as the multisig's next transaction, and opens the vote on it; the member pays both accounts' rent. */
export async function createTransactionInstructions(
  { multisig, index, member }: Voting,
  vaultIndex: number,
  message: ReadonlyUint8Array,
): Promise<[Instruction, Instruction]> {
  const [transaction, vote] = await Promise.all([
    findTransactionAddress(multisig, index),
    findVoteAddress(multisig, index),
  ]);
  const payers = [signing(member, AccountRole.READONLY_SIGNER), signing(member, AccountRole.WRITABLE_SIGNER)];
  const system = account(SYSTEM_PROGRAM_ADDRESS, AccountRole.READONLY);
  return [
    call(
      'create',
      [account(multisig, AccountRole.WRITABLE), account(transaction, AccountRole.WRITABLE), ...payers, system],
      Uint8Array.of(vaultIndex),
      NONE,
      getU32Encoder().encode(message.length),
      message,
      NONE,
    ),
    call(
      'propose',
      [account(multisig, AccountRole.READONLY), account(vote, AccountRole.WRITABLE), ...payers, system],
      numberBytes(index),
      getBooleanEncoder().encode(false),
    ),
  ];
}

/** A member's vote. */
export async function voteInstruction(
  { multisig, index, member }: Voting,
  answer: 'approve' | 'reject',
): Promise<Instruction> {
  const vote = await findVoteAddress(multisig, index);
  return call(
    answer,
    [
      account(multisig, AccountRole.READONLY),
      signing(member, AccountRole.WRITABLE_SIGNER),
      account(vote, AccountRole.WRITABLE),
    ],
    NONE,
  );
}

/** Carries out what enough members have approved. `accounts`: those of its message, in its order. */
export async function executeInstruction(
  { multisig, index, member }: Voting,
  accounts: readonly Account[],
): Promise<Instruction> {
  const [transaction, vote] = await Promise.all([
    findTransactionAddress(multisig, index),
    findVoteAddress(multisig, index),
  ]);
  return call('execute', [
    account(multisig, AccountRole.READONLY),
    account(vote, AccountRole.WRITABLE),
    account(transaction, AccountRole.READONLY),
    signing(member, AccountRole.READONLY_SIGNER),
    ...accounts,
  ]);
}
