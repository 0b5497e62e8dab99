import { constantPdaSeedNodeFromString, pdaNode, variablePdaSeedNode } from 'codama';
import { DELEGATION_PROGRAM, PERMISSION_PROGRAM } from './addresses.ts';
import { address, hash, u8, u32, u64 } from './types.ts';

const seed = (text: string) => constantPdaSeedNodeFromString('utf8', text);
const addressSeed = (name: string) => variablePdaSeedNode(name, address());

export const configPda = pdaNode({ name: 'config', seeds: [seed('config')] });
export const poolPda = pdaNode({ name: 'pool', seeds: [seed('pool'), addressSeed('mint')] });
export const vaultPda = pdaNode({
  name: 'vault',
  seeds: [seed('vault'), addressSeed('employer'), addressSeed('mint')],
});
export const schedulePda = pdaNode({
  name: 'schedule',
  seeds: [seed('schedule'), addressSeed('vault'), variablePdaSeedNode('id', u64())],
});
export const balancePda = pdaNode({
  name: 'balance',
  docs: ['balance_seed is SHA-256 of 0x02, mint, recipient and salt, so that nobody can guess the address.'],
  seeds: [seed('balance'), variablePdaSeedNode('balanceSeed', hash())],
});
export const batchPda = pdaNode({ name: 'batch', seeds: [seed('batch'), addressSeed('schedule')] });
export const counterPda = pdaNode({ name: 'counter', seeds: [seed('counter'), addressSeed('mint')] });
export const pagePda = pdaNode({
  name: 'page',
  seeds: [seed('page'), addressSeed('mint'), variablePdaSeedNode('page', u32())],
});
export const whitelistEntryPda = pdaNode({
  name: 'whitelistEntry',
  seeds: [seed('whitelist'), addressSeed('subject')],
});
export const redeemedPagePda = pdaNode({
  name: 'redeemedPage',
  seeds: [seed('redeemed'), addressSeed('mint'), variablePdaSeedNode('page', u32())],
});
export const approvalPda = pdaNode({ name: 'approval', seeds: [seed('approval'), addressSeed('vault')] });
export const delegationBufferPda = pdaNode({
  name: 'delegationBuffer',
  docs: ['Holds a delegated account’s bytes while the delegation program takes it over.'],
  seeds: [seed('buffer'), addressSeed('delegated')],
});
export const delegationRecordPda = pdaNode({
  name: 'delegationRecord',
  programId: DELEGATION_PROGRAM,
  seeds: [seed('delegation'), addressSeed('delegated')],
});
export const delegationMetadataPda = pdaNode({
  name: 'delegationMetadata',
  programId: DELEGATION_PROGRAM,
  seeds: [seed('delegation-metadata'), addressSeed('delegated')],
});
export const escrowPda = pdaNode({
  name: 'escrow',
  docs: ['The delegation program’s escrow of an authority; the pool’s one has index 0 and pays for withdrawals.'],
  programId: DELEGATION_PROGRAM,
  seeds: [seed('balance'), addressSeed('authority'), variablePdaSeedNode('index', u8())],
});

export const permissionPda = pdaNode({
  name: 'permission',
  docs: ['Says, in an execution layer that has read permissions, who may read an account.'],
  programId: PERMISSION_PROGRAM,
  seeds: [seed('permission:'), addressSeed('permissioned')],
});

export const pdas = [
  configPda,
  poolPda,
  vaultPda,
  schedulePda,
  balancePda,
  batchPda,
  counterPda,
  pagePda,
  whitelistEntryPda,
  redeemedPagePda,
  approvalPda,
  delegationBufferPda,
  delegationRecordPda,
  delegationMetadataPda,
  escrowPda,
  permissionPda,
];
