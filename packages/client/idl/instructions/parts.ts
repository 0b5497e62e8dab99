import {
  accountValueNode,
  argumentValueNode,
  fieldDiscriminatorNode,
  type InstructionAccountNode,
  type InstructionArgumentNode,
  type InstructionInputValueNode,
  type InstructionRemainingAccountsNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
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
  MAGIC_CONTEXT,
  MAGIC_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../addresses.ts';
import {
  batchPda,
  configPda,
  counterPda,
  delegationBufferPda,
  delegationMetadataPda,
  delegationRecordPda,
  poolPda,
  vaultPda,
  whitelistEntryPda,
} from '../pdas.ts';
import { address, u8 } from '../types.ts';

type Role = { signer?: boolean; writable?: boolean };
type SeedValue = ReturnType<typeof accountValueNode> | ReturnType<typeof argumentValueNode>;

export const S: Role = { signer: true };
export const W: Role = { writable: true };
export const SW: Role = { signer: true, writable: true };
export const R: Role = {};

export const account = (name: string, role: Role, defaultValue?: InstructionInputValueNode): InstructionAccountNode =>
  instructionAccountNode({
    name,
    isSigner: role.signer ?? false,
    isWritable: role.writable ?? false,
    ...(defaultValue === undefined ? {} : { defaultValue }),
  });

export const program = (name: string, programAddress: string) => account(name, R, publicKeyValueNode(programAddress));
export const ofAccount = (name: string) => accountValueNode(name);
export const ofArgument = (name: string) => argumentValueNode(name);

/** Default by address derivation. The seeds stand inline, so that an overridden program address reaches them. */
export const derived = (pda: PdaNode, seeds: Record<string, SeedValue>) =>
  pdaValueNode(
    pda,
    Object.entries(seeds).map(([name, value]) => pdaSeedValueNode(name, value)),
  );

const associatedTokenPda = pdaNode({
  name: 'associatedToken',
  programId: ASSOCIATED_TOKEN_PROGRAM,
  seeds: ['owner', 'tokenProgram', 'mint'].map((name) => variablePdaSeedNode(name, address())),
});
export const associatedToken = (owner: string) =>
  derived(associatedTokenPda, {
    owner: ofAccount(owner),
    tokenProgram: ofAccount('tokenProgram'),
    mint: ofAccount('mint'),
  });

export const config = (role = R) => account('config', role, derived(configPda, {}));
export const systemProgram = program('systemProgram', SYSTEM_PROGRAM);
export const tokenProgram = program('tokenProgram', TOKEN_PROGRAM);
export const magicProgram = program('magicProgram', MAGIC_PROGRAM);
export const magicContext = account('magicContext', W, publicKeyValueNode(MAGIC_CONTEXT));
export const mint = account('mint', R);
export const pool = (role: Role) => account('pool', role, derived(poolPda, { mint: ofAccount('mint') }));
/** The pool and the counter of an instruction that doesn't get the mint itself: `mintArgument` names it. */
export const poolOfArgument = (role: Role) => account('pool', role, derived(poolPda, { mint: ofArgument('mint') }));
export const counterOfArgument = account('counter', W, derived(counterPda, { mint: ofArgument('mint') }));
/** The token whose pool and counter an instruction uses; not part of its data. */
export const mintArgument = instructionArgumentNode({ name: 'mint', type: address() });
export const poolToken = account('poolToken', W, associatedToken('pool'));
export const vaultToken = account('vaultToken', W, associatedToken('vault'));
export const employerVault = account(
  'vault',
  W,
  derived(vaultPda, { employer: ofAccount('employer'), mint: ofAccount('mint') }),
);
/** The whitelist entry of `subject`, at its address whether it exists or not. */
const whitelistEntry = (name: string, role: Role, subject: SeedValue) =>
  account(name, role, derived(whitelistEntryPda, { subject }));
export const entryOfArgument = whitelistEntry('entry', W, ofArgument('subject'));
export const employerEntry = whitelistEntry('employerEntry', R, ofAccount('employer'));
export const mintEntry = whitelistEntry('mintEntry', R, ofAccount('mint'));
export const batchOfSchedule = account('batch', W, derived(batchPda, { schedule: ofAccount('schedule') }));

export const delegationAccounts = (delegated: string) => [
  account('buffer', W, derived(delegationBufferPda, { delegated: ofAccount(delegated) })),
  account('delegationRecord', W, derived(delegationRecordPda, { delegated: ofAccount(delegated) })),
  account('delegationMetadata', W, derived(delegationMetadataPda, { delegated: ofAccount(delegated) })),
  program('delegationProgram', DELEGATION_PROGRAM),
  account('ownerProgram', R, programIdValueNode()),
  systemProgram,
];

type Definition = {
  /** `otherwise`: the number that is meant when the caller gives none. */
  data?: [name: string, type: TypeNode, docs?: string, otherwise?: number][];
  accounts: InstructionAccountNode[];
  extra?: InstructionArgumentNode[];
  remaining?: InstructionRemainingAccountsNode[];
};

export function instruction(name: string, selector: number, docs: string, definition: Definition) {
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
      ...data.map(([argument, type, argumentDocs, otherwise]) =>
        instructionArgumentNode({
          name: argument,
          type,
          ...(argumentDocs === undefined ? {} : { docs: [argumentDocs] }),
          ...(otherwise === undefined ? {} : { defaultValue: numberValueNode(otherwise) }),
        }),
      ),
    ],
    discriminators: [fieldDiscriminatorNode('discriminator')],
    ...(extra === undefined ? {} : { extraArguments: extra }),
    ...(remaining === undefined ? {} : { remainingAccounts: remaining }),
  });
}
