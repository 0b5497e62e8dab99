import {
  accountValueNode,
  argumentValueNode,
  camelCase,
  fieldDiscriminatorNode,
  type InstructionAccountNode,
  type InstructionArgumentNode,
  type InstructionInputValueNode,
  type InstructionNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
  instructionRemainingAccountsNode,
  isNode,
  numberTypeNode,
  numberValueNode,
  type PdaNode,
  pdaSeedValueNode,
  pdaValueNode,
  programIdValueNode,
  publicKeyTypeNode,
  publicKeyValueNode,
} from 'codama';
import { TOKEN_PROGRAM } from './foreign.ts';
import type { Declaration, SourceFile } from './source.ts';
import { docsOf, type Types } from './types.ts';

/** What instructions refer to. */
export interface Program {
  readonly types: Types;
  readonly pdas: ReadonlyMap<string, PdaNode>;
  /** By name. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** The accounts that clients call otherwise than what they derive. */
const FOREIGN: Readonly<Record<string, string>> = {
  buffer: 'delegationBuffer',
  delegationRecord: 'delegationRecord',
  delegationMetadata: 'delegationMetadata',
  permission: 'permission',
};

/** One instruction: the file that has its accounts, its data and its rules. Nothing for a file that clients can't call. */
export function instructionOf(file: SourceFile, program: Program): InstructionNode[] {
  const accounts = file.items.find(({ name }) => name === 'Accounts');
  const selector = accounts?.attributes.get('selector');
  if (accounts === undefined || selector === undefined) return [];
  const data = argumentsOf(file.items.find(({ name }) => name === 'Data')?.members ?? [], program.types);
  const defaults = new Defaults(program, accounts.members, data);
  const nodes = accounts.members.map((member) => defaults.account(member));
  const [, remaining] = accounts.attributes.get('remaining')?.match(/^(\w+), writable$/) ?? [];
  return [
    instructionNode({
      name: file.name,
      docs: [file.docs.join(' ')],
      accounts: nodes,
      arguments: [
        instructionArgumentNode({
          name: 'discriminator',
          type: numberTypeNode('u8'),
          defaultValue: numberValueNode(Number(selector)),
          defaultValueStrategy: 'omitted',
        }),
        ...data,
      ],
      discriminators: [fieldDiscriminatorNode('discriminator')],
      ...(defaults.extra.length === 0 ? {} : { extraArguments: defaults.extra }),
      ...(remaining === undefined
        ? {}
        : {
            remainingAccounts: [
              instructionRemainingAccountsNode(argumentValueNode(camelCase(remaining)), { isWritable: true }),
            ],
          }),
    }),
  ];
}

function argumentsOf(members: readonly Declaration[], types: Types): InstructionArgumentNode[] {
  return members.flatMap((member) => {
    if (member.attributes.has('flatten')) {
      return types.flattened(member).map(({ kind: _, ...field }) => instructionArgumentNode(field));
    }
    const otherwise = member.attributes.get('default');
    const defaultValue = otherwise === undefined ? {} : { defaultValue: numberValueNode(Number(otherwise)) };
    return instructionArgumentNode({
      name: member.name,
      type: types.of(member.type),
      ...docsOf(member),
      ...defaultValue,
    });
  });
}

/** How clients find an instruction's accounts by themselves. */
class Defaults {
  /** What a client names for it alone, because no account and no argument has it. */
  readonly extra: InstructionArgumentNode[] = [];
  readonly #program: Program;
  readonly #accounts: ReadonlySet<string>;
  readonly #arguments: ReadonlySet<string>;

  constructor(program: Program, accounts: readonly Declaration[], data: readonly InstructionArgumentNode[]) {
    this.#program = program;
    this.#accounts = new Set(accounts.map(({ name }) => camelCase(name)));
    this.#arguments = new Set(data.map(({ name }) => name));
  }

  account(member: Declaration): InstructionAccountNode {
    const defaultValue = this.#valueOf(member);
    return instructionAccountNode({
      name: member.name,
      isSigner: member.attributes.has('signer'),
      isWritable: member.attributes.has('writable'),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    });
  }

  #valueOf({ name: rustName, type, attributes }: Declaration): InstructionInputValueNode | undefined {
    const name = camelCase(rustName);
    const [, wrapper, inner = ''] = type.match(/^(\w+)<(\w+)>$/) ?? [];
    const other = attributes.get('default');
    if (type === 'ThisProgram' || other === 'program') return programIdValueNode();
    if (other !== undefined) return accountValueNode(camelCase(other));
    if (name === 'tokenProgram') return publicKeyValueNode(TOKEN_PROGRAM);
    if (wrapper === 'Known') return publicKeyValueNode(this.#program.addresses.get(inner) ?? '');
    const owner = name.match(/^(\w+)Token$/)?.[1];
    if (owner !== undefined) return this.#derived('associatedToken', new Map([['owner', owner]]));
    const derivation = wrapper === undefined ? FOREIGN[name] : camelCase(inner);
    const seeds = [...(attributes.get('seeds') ?? '').matchAll(/(\w+) = (\w+)/g)];
    return derivation === undefined
      ? undefined
      : this.#derived(derivation, new Map(seeds.map(([, seed = '', account = '']) => [seed, camelCase(account)])));
  }

  /** The address, if its seeds are all known: `called`, those that have another name here. */
  #derived(name: string, called: ReadonlyMap<string, string>): InstructionInputValueNode | undefined {
    const pda = this.#program.pdas.get(name);
    if (pda === undefined) throw new Error(`The program's source derives no address of a ${name}.`);
    const seeds = (pda.seeds ?? []).filter((seed) => isNode(seed, 'variablePdaSeedNode'));
    // A pool and a counter are a token's: who calls without its account names it.
    if (seeds.length === 1 && seeds[0]?.name === 'mint' && !this.#accounts.has('mint') && this.extra.length === 0) {
      this.extra.push(instructionArgumentNode({ name: 'mint', type: publicKeyTypeNode() }));
    }
    const values = seeds.flatMap(({ name: seed, type }) => {
      const source = called.get(seed) ?? seed;
      if (this.#accounts.has(source) && isNode(type, 'publicKeyTypeNode')) {
        return pdaSeedValueNode(seed, accountValueNode(source));
      }
      return this.#arguments.has(source) || this.extra.some((each) => each.name === source)
        ? pdaSeedValueNode(seed, argumentValueNode(source))
        : [];
    });
    // The seeds stand inline, so that an overridden program address reaches them.
    return values.length === seeds.length ? pdaValueNode(pda, values) : undefined;
  }
}
