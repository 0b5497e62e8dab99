import { SaxesParser } from 'saxes';

/** Attributes of an element by their names as they are written. */
export type Attributes = Readonly<Record<string, string>>;

/** Told the elements of a file in order; `depth` of the root is 1, and `line` of the first one. Elements of other vocabularies are left out. */
export type Visitor = {
  open?(name: string, depth: number, attributes: Attributes, line: number): void;
  /** `text`: what stands in the element itself. */
  close?(name: string, depth: number, text: string): void;
};

/** Why XML is not read: entities that a file defines for itself could make it endless, or have it ask for other files. */
export type XmlFault = 'not-xml' | 'entities' | 'too-deep';

export type XmlRules = {
  /** Whether the root's namespace is one whose elements are read. */
  readonly isOwn: (namespace: string) => boolean;
  /** What is thrown for a fault in this line. */
  readonly refuse: (fault: XmlFault, line: number) => Error;
};

/** Nothing that is read is nested any deeper. */
const MOST_DEPTH = 64;

/**
 * Which elements are of the vocabulary of a file's root, by their prefix: the parser's own account of namespaces takes as long as all
 * else. Where an element within changes what the prefix stands for, it and all in it are of another.
 */
class Vocabulary {
  #prefix = '';
  #declaration = '';
  #foreignFrom = Number.POSITIVE_INFINITY;

  constructor(private readonly isOwn: XmlRules['isOwn']) {}

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
    if (!this.isOwn(attributes[this.#declaration] ?? '')) this.#foreignFrom = 1;
  }

  #ownName(name: string, depth: number): string | undefined {
    if (depth >= this.#foreignFrom || !name.startsWith(this.#prefix)) return undefined;
    const own = name.slice(this.#prefix.length);
    return own.includes(':') ? undefined : own;
  }
}

/** Reads XML piece by piece. */
export class XmlReader {
  readonly #parser = new SaxesParser();
  readonly #vocabulary: Vocabulary;
  #depth = 0;
  #text = '';

  constructor(
    private readonly visitor: Visitor,
    private readonly rules: XmlRules,
  ) {
    this.#vocabulary = new Vocabulary(rules.isOwn);
    const parser = this.#parser;
    parser.on('error', () => this.#refuse('not-xml'));
    parser.on('doctype', () => this.#refuse('entities'));
    parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes));
    parser.on('text', (more) => this.#take(more));
    parser.on('cdata', (more) => this.#take(more));
    parser.on('closetag', ({ name }) => this.#close(name));
  }

  /** Throws what the rules refuse with, and what the visitor throws. */
  write(piece: string): void {
    this.#parser.write(piece);
  }

  /** Ends the file: throws what the rules refuse with if there should be more of it. */
  close(): void {
    this.#parser.close();
  }

  #refuse(fault: XmlFault): never {
    throw this.rules.refuse(fault, this.#parser.line);
  }

  #open(name: string, attributes: Attributes): void {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) this.#refuse('too-deep');
    this.#text = '';
    const own = this.#vocabulary.open(name, this.#depth, attributes);
    if (own !== undefined) this.visitor.open?.(own, this.#depth, attributes, this.#parser.line);
  }

  #take(more: string): void {
    this.#text += more;
  }

  #close(name: string): void {
    const own = this.#vocabulary.close(name, this.#depth);
    if (own !== undefined) this.visitor.close?.(own, this.#depth, this.#text);
    this.#depth -= 1;
    this.#text = '';
  }
}
