import { SaxesParser } from 'saxes';
import { type Archive, damaged } from './archive.ts';

/** Attributes of an element by their names as they are written. */
export type Attributes = Readonly<Record<string, string>>;

/** Told the elements of a part in order; `depth` of the root is 1. Elements of other vocabularies are left out. */
export type Visitor = {
  open?(name: string, depth: number, attributes: Attributes): void;
  /** `text`: what stands in the element itself. */
  close?(name: string, depth: number, text: string): void;
};

/** What a workbook's own elements are called by, as most programs write it, and as the standard's strict form has it. */
const VOCABULARIES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
  'http://schemas.openxmlformats.org/package/2006/content-types',
]);
/** No part that is read is nested any deeper. */
const MOST_DEPTH = 64;

/** Whether an attribute of the kind "yes or no" says yes. */
export const isSet = (attributes: Attributes, name: string): boolean => ['1', 'true'].includes(attributes[name] ?? '');

/**
 * Which elements are of the vocabulary of a part's root, by their prefix: the parser's own account of namespaces takes as long as all
 * else. Where an element within changes what the prefix stands for, it and all in it are of another.
 */
class Vocabulary {
  #prefix = '';
  #declaration = '';
  #foreignFrom = Number.POSITIVE_INFINITY;

  /** An element's own name, or undefined if it is of another vocabulary. */
  open(name: string, depth: number, attributes: Attributes): string | undefined {
    if (depth === 1) this.#begin(name, attributes);
    else if (this.#declaration in attributes) this.#foreignFrom = Math.min(this.#foreignFrom, depth);
    return this.#ownName(name, depth);
  }

  close(name: string, depth: number): string | undefined {
    const own = this.#ownName(name, depth);
    if (depth === this.#foreignFrom) this.#foreignFrom = Number.POSITIVE_INFINITY;
    return own;
  }

  #begin(name: string, attributes: Attributes): void {
    this.#prefix = name.slice(0, name.indexOf(':') + 1);
    this.#declaration = this.#prefix === '' ? 'xmlns' : `xmlns:${this.#prefix.slice(0, -1)}`;
    if (!VOCABULARIES.has(attributes[this.#declaration] ?? '')) this.#foreignFrom = 1;
  }

  #ownName(name: string, depth: number): string | undefined {
    if (depth >= this.#foreignFrom || !name.startsWith(this.#prefix)) return undefined;
    const own = name.slice(this.#prefix.length);
    return own.includes(':') ? undefined : own;
  }
}

/** Reads a part of a workbook. Throws `PayrollError`: of what is not XML, and of entities that a part defines for itself. */
export async function readPart(archive: Archive, part: string, visitor: Visitor): Promise<void> {
  const parser = new SaxesParser();
  const vocabulary = new Vocabulary();
  let [depth, text] = [0, ''];
  parser.on('error', () => {
    throw damaged(`${part} is not XML`);
  });
  parser.on('doctype', () => {
    throw damaged(`${part} defines entities of its own`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > MOST_DEPTH) throw damaged(`${part} is nested too deep`);
    text = '';
    const own = vocabulary.open(name, depth, attributes);
    if (own !== undefined) visitor.open?.(own, depth, attributes);
  });
  parser.on('text', (more) => {
    text += more;
  });
  parser.on('cdata', (more) => {
    text += more;
  });
  parser.on('closetag', ({ name }) => {
    const own = vocabulary.close(name, depth);
    if (own !== undefined) visitor.close?.(own, depth, text);
    depth -= 1;
    text = '';
  });
  await archive.read(part, (piece) => parser.write(piece));
  if (archive.has(part)) parser.close();
}
