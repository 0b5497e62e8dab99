import {
  arrayTypeNode,
  bytesTypeNode,
  camelCase,
  type DefinedTypeNode,
  definedTypeLinkNode,
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumStructVariantTypeNode,
  enumTypeNode,
  fixedCountNode,
  fixedSizeTypeNode,
  type NumberFormat,
  numberTypeNode,
  numberValueNode,
  postOffsetTypeNode,
  prefixedCountNode,
  publicKeyTypeNode,
  type StructFieldTypeNode,
  structFieldTypeNode,
  structTypeNode,
  type TypeNode,
} from 'codama';
import type { Declaration } from './source.ts';

/** A text in one piece, as nodes take it. */
export const docsOf = ({ docs }: Pick<Declaration, 'docs'>) => (docs.length === 0 ? {} : { docs: [docs.join(' ')] });

/** What Rust types are in the IDL; a struct or an enum is linked by its name. */
export class Types {
  readonly #declared: ReadonlyMap<string, Declaration>;
  readonly #constants: ReadonlyMap<string, number>;

  constructor(declared: ReadonlyMap<string, Declaration>, constants: ReadonlyMap<string, number>) {
    this.#declared = declared;
    this.#constants = constants;
  }

  /** A Rust type that stands in an account or in data. Throws for one that clients can't read. */
  of(rust: string): TypeNode {
    const type = rust.replace(/^&'a (?:mut )?/, '');
    const [, item = '', size] = type.match(/^\[(.+?)(?:; (\w+))?\]$/s) ?? [];
    if (item !== '' && size === undefined)
      return arrayTypeNode(this.of(item), prefixedCountNode(numberTypeNode('u16')));
    if (item === 'u8') return fixedSizeTypeNode(bytesTypeNode(), this.#sizeOf(size));
    if (item !== '') return arrayTypeNode(this.of(item), fixedCountNode(this.#sizeOf(size)));
    if (/^[iu](?:8|16|32|64)$/.test(type)) return numberTypeNode(type as NumberFormat);
    if (type === 'UnalignedU64') return numberTypeNode('u64');
    if (type === 'UnalignedU32') return numberTypeNode('u32');
    if (type === 'Address') return publicKeyTypeNode();
    if (type === 'Hash') return fixedSizeTypeNode(bytesTypeNode(), 32);
    const name = type.replace(/^Code<(\w+)>$/, '$1').replace(/<'a>$/, '');
    if (!this.#declared.has(name)) throw new Error(`The program's source has no type ${name} for clients.`);
    return definedTypeLinkNode(camelCase(name));
  }

  /** Fields in order: the header's, those of what is flattened, and reserved bytes behind the field that they follow. */
  fields(members: readonly Declaration[], prefix = ''): StructFieldTypeNode[] {
    const fields: StructFieldTypeNode[] = [];
    for (const member of members) {
      if (member.name === 'header') fields.push(structFieldTypeNode({ name: 'bump', type: numberTypeNode('u8') }));
      else if (member.attributes.has('flatten')) fields.push(...this.flattened(member));
      else if (member.name.startsWith('reserved_') || (member.name === 'reserved' && member.type.startsWith('['))) {
        const last = fields.pop();
        if (last === undefined) throw new Error(`${member.name} follows no field.`);
        fields.push({ ...last, type: postOffsetTypeNode(last.type, this.#bytesOf(member.type), 'padded') });
      } else {
        const name = camelCase(`${prefix}_${member.name}`);
        fields.push(structFieldTypeNode({ name, type: this.of(member.type), ...docsOf(member) }));
      }
    }
    return fields;
  }

  /** The fields of a member's own type. */
  flattened({ type, attributes }: Declaration): StructFieldTypeNode[] {
    const own = this.#declared.get(type.replace(/^&'a /, ''));
    if (own === undefined) throw new Error(`The program's source has no struct ${type}.`);
    return this.fields(own.members, attributes.get('flatten'));
  }

  /** The nodes of a header, which stands at the front of every account. */
  header(kind: number): StructFieldTypeNode[] {
    const fixed = (name: string, value: number) =>
      structFieldTypeNode({
        name,
        type: numberTypeNode('u8'),
        defaultValue: numberValueNode(value),
        defaultValueStrategy: 'omitted',
      });
    return [fixed('kind', kind), fixed('version', 1)];
  }

  /** A type of its own in the IDL. */
  defined(declaration: Declaration): DefinedTypeNode {
    const { name, members, attributes } = declaration;
    const isEnum = members.some(({ type }) => type === '');
    if (!isEnum || attributes.has('struct')) {
      return definedTypeNode({ name, type: structTypeNode(this.fields(members)), ...docsOf(declaration) });
    }
    for (const [place, { name: variant, number }] of members.entries()) {
      if (number !== place)
        throw new Error(`${name}::${variant} is ${number}, and clients would take it for ${place}.`);
    }
    const variants = members.map((variant) =>
      variant.members.length === 0
        ? enumEmptyVariantTypeNode(variant.name)
        : enumStructVariantTypeNode(variant.name, structTypeNode(this.fields(variant.members))),
    );
    return definedTypeNode({ name, type: enumTypeNode(variants), ...docsOf(declaration) });
  }

  #sizeOf(text = ''): number {
    const size = this.#constants.get(text) ?? Number(text);
    if (!Number.isInteger(size)) throw new Error(`The program's source has no constant ${text}.`);
    return size;
  }

  #bytesOf(type: string): number {
    const [, array] = type.match(/^\[u8; (\d+)\]$/) ?? [];
    return array === undefined ? Number(type.slice(1)) / 8 : Number(array);
  }
}
