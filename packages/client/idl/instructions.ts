import {
  accountValueNode,
  argumentValueNode,
  definedTypeLinkNode,
  fieldDiscriminatorNode,
  type InstructionAccountNode,
  type InstructionArgumentNode,
  type InstructionInputValueNode,
  type InstructionRemainingAccountsNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
  instructionRemainingAccountsNode,
  numberValueNode,
  type PdaNode,
  pdaNode,
  pdaSeedValueNode,
  pdaValueNode,
  programIdValueNode,
  publicKeyValueNode,
  type TypeNode,
  variablePdaSeedNode,
} from 'codama';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  DELEGATION_PROGRAM,
  EPHEMERAL_VAULT,
  INSTRUCTIONS_SYSVAR,
  MAGIC_CONTEXT,
  MAGIC_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './addresses.ts';
import {
  batchPda,
  configPda,
  counterPda,
  delegationBufferPda,
  delegationMetadataPda,
  delegationRecordPda,
  poolPda,
  schedulePda,
  vaultPda,
} from './pdas.ts';
import { address, hash, i64, shortArray, u8, u16, u32, u64 } from './types.ts';

type Role = { signer?: boolean; writable?: boolean };
type SeedValue = ReturnType<typeof accountValueNode> | ReturnType<typeof argumentValueNode>;

const S: Role = { signer: true };
const W: Role = { writable: true };
const SW: Role = { signer: true, writable: true };
const R: Role = {};

const account = (name: string, role: Role, defaultValue?: InstructionInputValueNode): InstructionAccountNode =>
  instructionAccountNode({
    name,
    isSigner: role.signer ?? false,
    isWritable: role.writable ?? false,
    ...(defaultValue === undefined ? {} : { defaultValue }),
  });

const program = (name: string, programAddress: string) => account(name, R, publicKeyValueNode(programAddress));
const ofAccount = (name: string) => accountValueNode(name);
const ofArgument = (name: string) => argumentValueNode(name);

/** Default by address derivation. The seeds stand inline, so that an overridden program address reaches them. */
const derived = (pda: PdaNode, seeds: Record<string, SeedValue>) =>
  pdaValueNode(
    pda,
    Object.entries(seeds).map(([name, value]) => pdaSeedValueNode(name, value)),
  );

const associatedTokenPda = pdaNode({
  name: 'associatedToken',
  programId: ASSOCIATED_TOKEN_PROGRAM,
  seeds: ['owner', 'tokenProgram', 'mint'].map((name) => variablePdaSeedNode(name, address())),
});
const associatedToken = (owner: string) =>
  derived(associatedTokenPda, {
    owner: ofAccount(owner),
    tokenProgram: ofAccount('tokenProgram'),
    mint: ofAccount('mint'),
  });

const config = (role = R) => account('config', role, derived(configPda, {}));
const systemProgram = program('systemProgram', SYSTEM_PROGRAM);
const tokenProgram = program('tokenProgram', TOKEN_PROGRAM);
const magicProgram = program('magicProgram', MAGIC_PROGRAM);
const magicContext = account('magicContext', W, publicKeyValueNode(MAGIC_CONTEXT));
const mint = account('mint', R);
const pool = (role: Role) => account('pool', role, derived(poolPda, { mint: ofAccount('mint') }));
const poolOfArgument = account('pool', R, derived(poolPda, { mint: ofArgument('mint') }));
const poolToken = account('poolToken', W, associatedToken('pool'));
const vaultToken = account('vaultToken', W, associatedToken('vault'));
const employerVault = account(
  'vault',
  W,
  derived(vaultPda, { employer: ofAccount('employer'), mint: ofAccount('mint') }),
);
const batchOfSchedule = account('batch', W, derived(batchPda, { schedule: ofAccount('schedule') }));

const delegationAccounts = (delegated: string) => [
  account('buffer', W, derived(delegationBufferPda, { delegated: ofAccount(delegated) })),
  account('delegationRecord', W, derived(delegationRecordPda, { delegated: ofAccount(delegated) })),
  account('delegationMetadata', W, derived(delegationMetadataPda, { delegated: ofAccount(delegated) })),
  program('delegationProgram', DELEGATION_PROGRAM),
  account('ownerProgram', R, programIdValueNode()),
  systemProgram,
];

type Definition = {
  data?: [name: string, type: TypeNode, docs?: string][];
  accounts: InstructionAccountNode[];
  extra?: InstructionArgumentNode[];
  remaining?: InstructionRemainingAccountsNode[];
};

function instruction(name: string, selector: number, docs: string, definition: Definition) {
  const { data = [], accounts, extra, remaining } = definition;
  return instructionNode({
    name,
    docs: [docs],
    accounts,
    arguments: [
      instructionArgumentNode({
        name: 'discriminator',
        type: u8(),
        defaultValue: numberValueNode(selector),
        defaultValueStrategy: 'omitted',
      }),
      ...data.map(([argument, type, argumentDocs]) =>
        instructionArgumentNode({
          name: argument,
          type,
          ...(argumentDocs === undefined ? {} : { docs: [argumentDocs] }),
        }),
      ),
    ],
    discriminators: [fieldDiscriminatorNode('discriminator')],
    ...(extra === undefined ? {} : { extraArguments: extra }),
    ...(remaining === undefined ? {} : { remainingAccounts: remaining }),
  });
}

/** The token whose pool and counter an instruction uses; not part of its data. */
const mintArgument = instructionArgumentNode({ name: 'mint', type: address() });

const baseInstructions = [
  instruction('initConfig', 0, 'Creates the config. Only the program’s upgrade authority may.', {
    data: [
      ['governance', address()],
      ['executionAuthority', address()],
      ['validator', address()],
      ['maxRecipients', u32()],
      ['minInterval', u32(), 'Seconds.'],
      ['minBatchTimeout', u32(), 'Seconds.'],
      ['maxBatchTimeout', u32(), 'Seconds.'],
      ['maxClaims', u16()],
      ['flags', u8()],
    ],
    accounts: [account('upgradeAuthority', SW), config(W), account('programData', R), systemProgram],
  }),
  instruction('initPool', 4, 'Creates the pool of a token; its token account exists before.', {
    accounts: [account('payer', SW), config(), pool(W), mint, account('poolToken', R), systemProgram],
  }),
  instruction('initCounter', 5, 'Creates the withdrawal counter of a token and delegates it for good.', {
    accounts: [
      account('payer', SW),
      config(),
      poolOfArgument,
      account('counter', W, derived(counterPda, { mint: ofArgument('mint') })),
      ...delegationAccounts('counter'),
    ],
    extra: [mintArgument],
  }),
  instruction('initVault', 6, 'Creates an employer’s vault of a token; its token account exists before.', {
    accounts: [
      account('employer', S),
      account('payer', SW),
      config(),
      pool(R),
      employerVault,
      mint,
      account('vaultToken', R),
      systemProgram,
    ],
  }),
  instruction('deposit', 7, 'Moves tokens into a vault; anybody may.', {
    data: [['amount', u64(), 'Base units.']],
    accounts: [account('depositor', S), account('sourceToken', W), account('vault', W), vaultToken, mint, tokenProgram],
  }),
  instruction('withdraw', 8, 'Takes available tokens out of a vault.', {
    data: [['amount', u64(), 'Base units.']],
    accounts: [account('employer', S), employerVault, vaultToken, account('destinationToken', W), mint, tokenProgram],
  }),
  instruction('createSchedule', 9, 'Registers a schedule and reserves its executions.', {
    data: [
      ['id', u64()],
      ['root', hash()],
      ['amount', u64(), 'Base units for each execution.'],
      ['recipients', u32()],
      ['interval', u64(), 'Seconds.'],
      ['firstExecution', i64(), 'Unix seconds.'],
      ['executions', u32()],
      ['batchTimeout', u32(), 'Seconds.'],
      ['missed', definedTypeLinkNode('missedWindows')],
    ],
    accounts: [
      account('employer', S),
      account('payer', SW),
      config(),
      account('vault', W),
      account('schedule', W, derived(schedulePda, { vault: ofAccount('vault'), id: ofArgument('id') })),
      batchOfSchedule,
      systemProgram,
    ],
  }),
  instruction('delegateSchedule', 15, 'Opens a window: moves its amount to the pool and delegates the batch.', {
    data: [['window', u64()]],
    accounts: [
      account('authority', SW),
      config(),
      account('schedule', W),
      batchOfSchedule,
      account('vault', W),
      vaultToken,
      pool(W),
      poolToken,
      mint,
      tokenProgram,
      ...delegationAccounts('batch'),
    ],
  }),
  instruction('settle', 16, 'Closes a window whose batch has come back; anybody may.', {
    data: [['window', u64()]],
    accounts: [
      account('schedule', W),
      batchOfSchedule,
      account('vault', W),
      vaultToken,
      pool(W),
      poolToken,
      mint,
      tokenProgram,
    ],
  }),
  instruction('payOut', 17, 'Pays a numbered withdrawal; only as a base action of the execution layer.', {
    data: [
      ['number', u64()],
      ['amount', u64(), 'Base units.'],
    ],
    accounts: [
      pool(W),
      poolToken,
      mint,
      account('wallet', R),
      account('walletToken', W, associatedToken('wallet')),
      account('page', W),
      config(),
      account('instructionsSysvar', R, publicKeyValueNode(INSTRUCTIONS_SYSVAR)),
      tokenProgram,
      program('associatedTokenProgram', ASSOCIATED_TOKEN_PROGRAM),
      systemProgram,
      account('sourceProgram', R, programIdValueNode()),
      account('escrowAuthority', R, accountValueNode('pool')),
      account('escrow', SW),
    ],
  }),
];

const layerInstructions = [
  instruction('claimPayment', 32, 'Pays a contiguous range of leaves from an open batch, in the execution layer.', {
    data: [
      ['start', u32(), 'Index of the first leaf.'],
      ['entries', shortArray(definedTypeLinkNode('claimEntry'))],
      ['proof', shortArray(hash())],
    ],
    accounts: [
      account('authority', S),
      config(),
      account('batch', W),
      magicProgram,
      account('ephemeralVault', W, publicKeyValueNode(EPHEMERAL_VAULT)),
    ],
    remaining: [instructionRemainingAccountsNode(argumentValueNode('balances'), { isWritable: true })],
  }),
  instruction('commit', 33, 'Closes the batch and sends it back to the base ledger.', {
    data: [['window', u64()]],
    accounts: [account('authority', SW), config(), account('batch', W), magicProgram, magicContext],
  }),
  instruction('requestWithdrawal', 34, 'Takes an amount out of a balance and schedules its payment to a wallet.', {
    data: [
      ['amount', u64(), 'Base units; the u64 maximum means all.'],
      ['wallet', address()],
    ],
    accounts: [
      account('recipient', SW),
      config(),
      account('balance', W),
      account('counter', W, derived(counterPda, { mint: ofArgument('mint') })),
      poolOfArgument,
      magicProgram,
      magicContext,
    ],
    extra: [mintArgument],
  }),
  instruction('confirmWithdrawal', 35, 'Clears a withdrawal that the base ledger has paid, or issues it again.', {
    accounts: [
      account('payer', SW),
      config(),
      account('balance', W),
      poolOfArgument,
      account('page', R),
      magicProgram,
      magicContext,
    ],
    extra: [mintArgument],
  }),
];

export const instructions = [...baseInstructions, ...layerInstructions];
