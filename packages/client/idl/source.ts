import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parser } from '@lezer/rust';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** A struct, an enum, or a field or a variant of one, as the Rust source declares it. */
export interface Declaration {
  readonly name: string;
  readonly docs: string[];
  /** Text between the brackets by the attribute's name: '' where it stands alone. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Of a field. */
  readonly type: string;
  /** Of a variant. */
  readonly number: number;
  readonly members: readonly Declaration[];
}

/** A source file: what it says of itself, and what it declares. */
export interface SourceFile {
  /** Without folder and ending. */
  readonly name: string;
  readonly docs: string[];
  readonly items: readonly Declaration[];
  readonly text: string;
}

/** The Rust files below a folder. */
export function readSources(folder: string): SourceFile[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.rs'));
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const docs = [...text.matchAll(/^\/\/! (.*)$/gm)].map(([, line = '']) => line);
    return { name: basename(file, '.rs'), docs, items: declarationsIn(text), text };
  });
}

const KINDS = new Set(['StructItem', 'EnumItem', 'FieldDeclaration', 'EnumVariant']);

function declarationsIn(text: string): Declaration[] {
  const tree = parser.parse(text);
  const textOf = (node: SyntaxNode | null) => (node === null ? '' : text.slice(node.from, node.to));

  /** Declarations among a node's children, each with the comments and attributes that stand before it. */
  const declarations = (parent: SyntaxNode | null, docs: string[] = [], attributes = new Map<string, string>()) => {
    const found: Declaration[] = [];
    for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
      if (node.name === 'LineComment')
        docs.push(
          ...(textOf(node)
            .match(/^\/\/\/ (.*)$/)
            ?.slice(1) ?? []),
        );
      else if (node.name === 'Attribute') {
        const [, name = '', rest = ''] = textOf(node).match(/^#\[(\w+)(?:\((.*)\))?\]$/s) ?? [];
        attributes.set(name, rest);
      } else if (node.name === 'AttributeItem') found.push(...declarations(node, docs, attributes));
      else if (node.name === 'MacroInvocation') found.push(...declarationsIn(textOf(node.lastChild).slice(1, -1)));
      else if (KINDS.has(node.name)) found.push(declaration(node, [...docs], new Map(attributes)));
      else continue;
      if (node.name !== 'LineComment' && node.name !== 'Attribute') {
        docs.length = 0;
        attributes.clear();
      }
    }
    return found;
  };

  const declaration = (node: SyntaxNode, docs: string[], attributes: ReadonlyMap<string, string>): Declaration => ({
    name: textOf(node.getChild('FieldIdentifier') ?? node.getChild('TypeIdentifier') ?? node.getChild('Identifier')),
    docs,
    attributes,
    type: node.name === 'FieldDeclaration' ? textOf(node.lastChild) : '',
    number: Number(textOf(node.getChild('Integer'))),
    members: declarations(node.getChild('FieldDeclarationList') ?? node.getChild('EnumVariantList')),
  });

  return declarations(tree.topNode);
}
