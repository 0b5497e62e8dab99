import { fileURLToPath } from 'node:url';
import {
  type AccountNode,
  accountNode,
  arrayTypeNode,
  bytesTypeNode,
  camelCase,
  constantPdaSeedNodeFromString,
  definedTypeLinkNode,
  errorNode,
  fieldDiscriminatorNode,
  type InstructionNode,
  type PdaNode,
  pdaLinkNode,
  pdaNode,
  programNode,
  type RootNode,
  remainderCountNode,
  rootNode,
  structFieldTypeNode,
  structTypeNode,
  variablePdaSeedNode,
} from 'codama';
import { foreignPdas, PROGRAM_ADDRESS } from './foreign.ts';
import { instructionOf } from './instructions.ts';
import { type Declaration, readSources } from './source.ts';
import { docsOf, Types } from './types.ts';

const SOURCE = fileURLToPath(new URL('../../../program/src', import.meta.url));
/** Structs and enums that clients read inside of others. */
const DEFINED = [
  ...['ScheduleStatus', 'SchedulePhase', 'BatchPhase', 'MissedWindows', 'CalendarUnit', 'RoleKind', 'Delivery'],
  ...[
    'Limits',
    'Liabilities',
    'WithdrawalProof',
    'ClaimEntry',
    'PageSeed',
    'BitmapSeed',
    'Slot',
    'Withdrawing',
    'PayoutEvent',
  ],
];

/** The ledger program's IDL, read from its source. Throws for a source that can't be understood. */
export function readProgram(folder = SOURCE): RootNode {
  const files = readSources(folder);
  const text = files.map((file) => file.text).join('\n');
  const declared = new Map(files.flatMap(({ items }) => items.map((item) => [item.name, item] as const)));
  const constants = new Map(
    [...text.matchAll(/const (\w+): usize = (\d+);/g)].map(([, name = '', value]) => [name, Number(value)]),
  );
  const addresses = new Map([...text.matchAll(/^ {4}(\w+) = "(\w+)";$/gm)].map(([, name = '', at = '']) => [name, at]));
  const types = new Types(declared, constants);
  const kinds = [...declared.values()]
    .filter(({ attributes }) => attributes.has('account'))
    .sort((one, other) => kindOf(one) - kindOf(other));
  const own = kinds.map((kind) => pdaOf(kind, types));
  const foreign = foreignPdas(addresses);
  const pdas = new Map([...own, ...foreign].map((pda) => [pda.name as string, pda]));
  const named = (name: string): Declaration => {
    const declaration = declared.get(name);
    if (declaration === undefined) throw new Error(`The program's source declares no ${name}.`);
    return declaration;
  };
  const instructions = files
    .flatMap((file) => instructionOf(file, { types, pdas, addresses }))
    .sort((one, other) => selectorOf(one) - selectorOf(other));
  return rootNode(
    programNode({
      name: 'payoutLedger',
      docs: ['The payout ledger: vaults, schedules, claims and withdrawals.'],
      publicKey: PROGRAM_ADDRESS,
      version: '0.1.0',
      origin: 'shank',
      accounts: kinds.map((kind) => accountOf(kind, types)),
      instructions,
      definedTypes: DEFINED.map((name) => types.defined(named(name))),
      // What is called by its own package's name there.
      pdas: [...own, ...foreign.filter(({ name }) => name !== 'associatedToken')],
      errors: named('Failure').members.map(({ name, number, docs }) =>
        errorNode({ name, code: number, message: docs.join(' ') }),
      ),
    }),
  );
}

const selectorOf = ({ arguments: [selector] = [] }: InstructionNode) =>
  selector?.defaultValue?.kind === 'numberValueNode' ? selector.defaultValue.number : 0;
const numberIn = (attribute: string, name: string) => Number(attribute.match(new RegExp(`${name} = (\\d+)`))?.[1]);
const kindOf = ({ attributes }: Declaration) => numberIn(attributes.get('account') ?? '', 'kind');

function accountOf(declaration: Declaration, types: Types): AccountNode {
  const { name, members, attributes } = declaration;
  const account = attributes.get('account') ?? '';
  const [, tailName = ''] = account.match(/, (\w+)$/) ?? [];
  const hasTail = tailName !== '';
  const tail = hasTail ? [tailOf(tailName)] : [];
  return accountNode({
    name,
    ...docsOf(declaration),
    ...(hasTail ? {} : { size: numberIn(account, 'size') }),
    pda: pdaLinkNode(camelCase(name)),
    discriminators: [fieldDiscriminatorNode('kind')],
    data: structTypeNode([...types.header(kindOf(declaration)), ...types.fields(members), ...tail]),
  });
}

/** What follows behind an account's fields, to its end. */
function tailOf(name: string) {
  if (name === 'zeros' || name === 'bitmap') {
    const docs = name === 'bitmap' ? ['Bit i of byte i / 8, least significant first.'] : [];
    return structFieldTypeNode({ name, type: bytesTypeNode(), docs });
  }
  const item = name === 'slots' ? 'slot' : 'withdrawing';
  return structFieldTypeNode({ name, type: arrayTypeNode(definedTypeLinkNode(item), remainderCountNode()) });
}

function pdaOf({ name, attributes }: Declaration, types: Types): PdaNode {
  const [first = '', ...rest] = (attributes.get('seeds') ?? '').split(', ');
  return pdaNode({
    name,
    seeds: [
      constantPdaSeedNodeFromString('utf8', first.slice(2, -1)),
      ...rest.map((seed) => {
        const [variable = '', type = ''] = seed.split(': ');
        return variablePdaSeedNode(variable, types.of(type));
      }),
    ],
  });
}
