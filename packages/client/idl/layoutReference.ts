import {
  type AccountNode,
  type DefinedTypeNode,
  type InstructionNode,
  isNode,
  type PdaNode,
  pascalCase,
  type RootNode,
  type StructFieldTypeNode,
  snakeCase,
  type TypeNode,
} from 'codama';

/** A field and where it begins. */
interface Placed {
  readonly at: number;
  readonly size: number;
  readonly name: string;
  readonly type: string;
  readonly docs: string;
}

const docsOf = ({ docs }: { readonly docs?: string | readonly string[] }) => [docs ?? []].flat().join(' ');
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);

/** Name and size of the program's types, as its pages write them. */
class Sizes {
  readonly #defined: ReadonlyMap<string, DefinedTypeNode>;

  constructor(defined: readonly DefinedTypeNode[]) {
    this.#defined = new Map(defined.map((type) => [type.name, type]));
  }

  /** Throws for a type that no account and no instruction has. */
  nameOf(type: TypeNode): string {
    if (isNode(type, 'numberTypeNode')) return type.format;
    if (isNode(type, 'publicKeyTypeNode')) return 'address';
    if (isNode(type, 'bytesTypeNode')) return 'bytes';
    if (isNode(type, 'fixedSizeTypeNode')) return `[u8; ${type.size}]`;
    if (isNode(type, 'definedTypeLinkNode')) return this.#linked(type.name);
    if (isNode(type, 'arrayTypeNode')) {
      const item = this.nameOf(type.item as TypeNode);
      if (isNode(type.count, 'fixedCountNode')) return `[${item}; ${type.count.value}]`;
      return isNode(type.count, 'remainderCountNode') ? `${item} each` : `u16 count, then ${item} each`;
    }
    throw new Error(`A page has no name for ${type.kind}.`);
  }

  /** Bytes that a type takes; 0 for one whose length differs, which stands last. */
  sizeOf(type: TypeNode): number {
    if (isNode(type, 'numberTypeNode')) return Number(type.format.slice(1)) / 8;
    if (isNode(type, 'publicKeyTypeNode')) return 32;
    if (isNode(type, 'fixedSizeTypeNode')) return type.size;
    if (isNode(type, 'definedTypeLinkNode')) return this.#sizeOfLinked(type.name);
    if (isNode(type, 'arrayTypeNode') && isNode(type.count, 'fixedCountNode'))
      return type.count.value * this.sizeOf(type.item as TypeNode);
    return 0;
  }

  /** Fields in order, with reserved bytes as rows of their own. */
  place(fields: readonly StructFieldTypeNode[], from = 0): Placed[] {
    let at = from;
    return fields.flatMap((field) => {
      const outer = field.type as TypeNode;
      const reserved = isNode(outer, 'postOffsetTypeNode') ? outer.offset : 0;
      const type = isNode(outer, 'postOffsetTypeNode') ? (outer.type as TypeNode) : outer;
      const size = this.sizeOf(type);
      const own = { at, size, name: snakeCase(field.name), type: this.nameOf(type), docs: docsOf(field) };
      at += size;
      if (reserved === 0) return [own];
      const rest = { at, size: reserved, name: '(reserved)', type: `[u8; ${reserved}]`, docs: 'Zero.' };
      at += reserved;
      return [own, rest];
    });
  }

  #linked(name: string): string {
    const { type } = this.#definitionOf(name);
    if (!isNode(type, 'enumTypeNode')) return pascalCase(name);
    return `u8: ${(type.variants ?? []).map((variant, number) => `${number} ${snakeCase(variant.name).replaceAll('_', ' ')}`).join(', ')}`;
  }

  #sizeOfLinked(name: string): number {
    const { type } = this.#definitionOf(name);
    if (!isNode(type, 'structTypeNode')) return 1;
    return (type.fields ?? []).reduce((sum, field) => sum + this.sizeOf(field.type as TypeNode), 0);
  }

  #definitionOf(name: string): DefinedTypeNode {
    const found = this.#defined.get(name);
    if (found === undefined) throw new Error(`The IDL has no type ${name}.`);
    return found;
  }
}

const rowOf = ({ at, name, type, docs }: Placed) => [at, name, type, docs];

function seedsOf(pda: PdaNode | undefined, sizes: Sizes): string {
  const seeds = (pda?.seeds ?? []).map((seed) => {
    if (isNode(seed, 'variablePdaSeedNode')) {
      const type = sizes.nameOf(seed.type as TypeNode);
      return `${snakeCase(seed.name)}${type === 'address' ? '' : ` ${type}`}`;
    }
    return isNode(seed.value, 'stringValueNode') ? `"${seed.value.string}"` : '';
  });
  return seeds.map((seed) => `\`${seed}\``).join(', ');
}

function accountSection(account: AccountNode, pda: PdaNode | undefined, sizes: Sizes): string[] {
  const { name, size } = account;
  const data = account.data;
  const fields = isNode(data, 'structTypeNode') ? (data.fields ?? []) : [];
  const [kind] = fields;
  const placed = sizes.place(fields);
  const last = placed.at(-1);
  const end = last === undefined ? 0 : last.at + last.size;
  if (size !== undefined && end !== size) throw new Error(`The fields of ${name} end at ${end}, not at ${size}.`);
  const number = kind?.defaultValue && isNode(kind.defaultValue, 'numberValueNode') ? kind.defaultValue.number : '';
  const length = size === undefined ? `${end} bytes, then ${last?.name}.` : `${size} bytes.`;
  return [
    `### ${snakeCase(name).replaceAll('_', ' ')}: kind ${number}`,
    '',
    `${docsOf(account)} Seeds: ${seedsOf(pda, sizes)}. ${length}`,
    '',
    ...table(['at', 'field', 'type', ''], placed.map(rowOf)),
    '',
  ];
}

function instructionSection(instruction: InstructionNode, sizes: Sizes): string[] {
  const [selector, ...data] = instruction.arguments ?? [];
  const number =
    selector?.defaultValue && isNode(selector.defaultValue, 'numberValueNode') ? selector.defaultValue.number : '';
  const fields = data.map((argument) => [
    snakeCase(argument.name),
    sizes.nameOf(argument.type as TypeNode),
    docsOf(argument),
  ]);
  const accounts = (instruction.accounts ?? []).map((account, place) => [
    place,
    snakeCase(account.name),
    account.isSigner === true ? 'yes' : '',
    account.isWritable === true ? 'yes' : '',
  ]);
  const more = (instruction.remainingAccounts ?? []).flatMap(({ value }) =>
    isNode(value, 'argumentValueNode') ? `Then ${snakeCase(value.name).replaceAll('_', ' ')}, all written.` : [],
  );
  return [
    `### ${number} ${snakeCase(instruction.name)}`,
    '',
    docsOf(instruction),
    '',
    ...table(['place', 'account', 'signs', 'written'], accounts),
    '',
    ...(more.length === 0 ? [] : [...more, '']),
    ...(fields.length === 0 ? ['No data.'] : table(['data', 'type', ''], fields)),
    '',
  ];
}

function eventRows(events: DefinedTypeNode | undefined, sizes: Sizes): (string | number)[][] {
  const type = events?.type;
  const variants = type !== undefined && isNode(type, 'enumTypeNode') ? (type.variants ?? []) : [];
  return variants.flatMap((variant, number) => {
    const struct = isNode(variant, 'enumStructVariantTypeNode') ? variant.struct : undefined;
    const fields = struct !== undefined && isNode(struct, 'structTypeNode') ? (struct.fields ?? []) : [];
    const name = pascalCase(variant.name);
    if (fields.length === 0) return [[number, name, '', '']];
    return fields.map((field, place) => [
      place === 0 ? number : '',
      place === 0 ? name : '',
      snakeCase(field.name),
      sizes.nameOf(field.type as TypeNode),
    ]);
  });
}

function structSection(struct: DefinedTypeNode, sizes: Sizes): string[] {
  const { type } = struct;
  if (!isNode(type, 'structTypeNode')) return [];
  return [
    `### ${pascalCase(struct.name)}`,
    '',
    ...(docsOf(struct) === '' ? [] : [docsOf(struct), '']),
    ...table(['at', 'field', 'type', ''], sizes.place(type.fields ?? []).map(rowOf)),
    '',
  ];
}

const HEAD = [
  '# Layouts of the ledger program',
  '',
  'Every byte of every account, every account and all data of every instruction, every event: made from `program/src` by `npm run generate:client`. Integers are little-endian, an `address`',
  'has 32 bytes, amounts are base units of the token, times unix seconds. What it all means: [the ledger program](../internals/ledger-program.md).',
  '',
];

/** Content of docs/reference/ledger-layout.md: one row for each field of accounts, instructions and events. */
export function renderLayoutReference({ program }: RootNode): string {
  const sizes = new Sizes(program.definedTypes ?? []);
  const pdas = new Map((program.pdas ?? []).map((pda) => [pda.name, pda]));
  const events = program.definedTypes?.find(({ name }) => name === 'payoutEvent');
  return [
    ...HEAD,
    '## Accounts',
    '',
    ...(program.accounts ?? []).flatMap((account) => accountSection(account, pdas.get(account.name), sizes)),
    '## Structs inside of others',
    '',
    ...(program.definedTypes ?? []).flatMap((type) => structSection(type, sizes)),
    '## Instructions',
    '',
    'The number is the first byte; data follows without gaps.',
    '',
    ...(program.instructions ?? []).flatMap((instruction) => instructionSection(instruction, sizes)),
    '## Events',
    '',
    'A log entry is the number as one byte, then the fields.',
    '',
    ...table(['number', 'event', 'field', 'type'], eventRows(events, sizes)),
    '',
  ].join('\n');
}
