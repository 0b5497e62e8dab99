import { constantPdaSeedNodeFromString, numberTypeNode, pdaNode, publicKeyTypeNode, variablePdaSeedNode } from 'codama';

/** Where the program is deployed. */
export const PROGRAM_ADDRESS = 'Pay69CAL76Kk8jUQd1FX5wkbqn45NzYdmXJptBsMgxX';
/** Stands for any token program where the caller names none. */
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

const seed = (text: string) => constantPdaSeedNodeFromString('utf8', text);
const address = (name: string) => variablePdaSeedNode(name, publicKeyTypeNode());

/** Addresses that other programs derive, whose seeds therefore don't stand in this one's source. `known`: addresses by name. */
export const foreignPdas = (known: ReadonlyMap<string, string>) => {
  const programOf = (name: string) => {
    const programId = known.get(name);
    if (programId === undefined) throw new Error(`The program's source has no address ${name}.`);
    return { programId };
  };
  const delegation = programOf('DelegationProgram');
  return [
    pdaNode({
      name: 'delegationBuffer',
      docs: ['Holds a delegated account’s bytes while the delegation program takes it over.'],
      seeds: [seed('buffer'), address('delegated')],
    }),
    pdaNode({ name: 'delegationRecord', ...delegation, seeds: [seed('delegation'), address('delegated')] }),
    pdaNode({ name: 'delegationMetadata', ...delegation, seeds: [seed('delegation-metadata'), address('delegated')] }),
    pdaNode({
      name: 'sponsor',
      docs: ['A system account, for which this program signs: it pays for the accounts that a token’s payouts open.'],
      seeds: [seed('sponsor'), address('mint')],
    }),
    pdaNode({
      name: 'escrow',
      docs: [
        'The delegation program’s escrow of an authority; the pool’s one has index 0 and says who called. It holds nothing.',
      ],
      ...delegation,
      seeds: [seed('balance'), address('authority'), variablePdaSeedNode('index', numberTypeNode('u8'))],
    }),
    pdaNode({
      name: 'permission',
      docs: ['Says, in an execution layer that has read permissions, who may read an account.'],
      ...programOf('PermissionProgram'),
      seeds: [seed('permission:'), address('permissioned')],
    }),
    pdaNode({
      name: 'associatedToken',
      ...programOf('AssociatedTokenProgram'),
      seeds: ['owner', 'tokenProgram', 'mint'].map(address),
    }),
  ];
};
