const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY = 0x5b;
const ESCAPE = 0x5c;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Depth of a top-level name. */
const TOP = 1;

/** The most bytes that an element, or everything beside the list, may have. */
export const PIECE_BYTES = 64 * 1_024;

/** A piece did not end within `PIECE_BYTES`: the element at that place of the list, or what stands beside the list. */
export class PieceTooLong extends Error {
  override readonly name = 'PieceTooLong';
  readonly element: number | undefined;

  constructor(element?: number) {
    super('A piece of the document is too long.');
    this.element = element;
  }
}

/** What stands at that place of the list is not one value of JSON. */
export class ElementBroken extends Error {
  override readonly name = 'ElementBroken';

  constructor(readonly element: number) {
    super('An element of the list is not JSON.');
  }
}

/** Takes the elements of a list, in their order. */
export interface ElementReader {
  /** Reads the object that begins at `start`, if it is plain and stands whole in the chunk: the place after it, else −1. */
  readPlain(chunk: Buffer, start: number): number;
  /** Reads any other element; false if it is not JSON. */
  read(json: Buffer): boolean;
}

/** Whether a byte may stand between values. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Where the scanner is: beside the list, or before, within or after an element. */
type Where = 'beside' | 'before' | 'within' | 'after';

/**
 * Cuts a JSON document that arrives in chunks into the elements of the list under one top-level name, and the rest with an empty
 * list. Within those it follows strings and brackets and no more: the document is JSON exactly if each element is and the rest is.
 * What it finds does not depend on how the document is chunked.
 */
export class ListScanner {
  /** Top-level names that stand there again. */
  readonly repeated = new Set<string>();
  #where: Where = 'beside';

  /** Brackets that are open, beside the list or within the element. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;

  /** Place in the list of the present element. */
  #element = 0;
  /** What earlier chunks had of it. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;

  readonly #names = new Set<string>();
  #expectsName = false;
  /** What there is of a top-level name, until its end. */
  #nameParts: Buffer[] | undefined;
  #name: string | undefined;

  constructor(
    private readonly listName: string,
    private readonly elements: ElementReader,
  ) {}

  /** Goes on with the next chunk, which belongs to the scanner from then on. Throws `PieceTooLong` or `ElementBroken`. */
  push(chunk: Buffer): void {
    let place = 0;
    while (place < chunk.length) {
      if (this.#where === 'beside') place = this.#scanRest(chunk, place);
      else if (this.#where === 'within') place = this.#scanElement(chunk, place);
      else place = this.#scanBetween(chunk, place);
    }
  }

  /** What stands beside the list, after the last chunk. */
  rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Reads plain elements and what stands between elements. */
  #scanBetween(chunk: Buffer, start: number): number {
    for (let place = start; place < chunk.length; place++) {
      const byte = chunk[place];
      if (isSpace(byte)) continue;
      if (this.#where === 'after') {
        if (byte !== COMMA) return this.#endList(byte, place);
        this.#nextElement();
        continue;
      }
      if (byte === ARRAY_END && this.#element === 0) return this.#endList(byte, place);
      const end = byte === OBJECT ? this.elements.readPlain(chunk, place) : -1;
      if (end < 0) {
        this.#where = 'within';
        return place;
      }
      if (end - place > PIECE_BYTES) throw new PieceTooLong(this.#element);
      this.#where = 'after';
      place = end - 1;
    }
    return chunk.length;
  }

  /** Follows an element to its end and gives it to be read. */
  #scanElement(chunk: Buffer, start: number): number {
    let place = start;
    while (place < chunk.length) {
      if (this.#inString) {
        place = this.#scanString(chunk, place);
        continue;
      }
      const byte = chunk[place];
      const isEnd = byte === ARRAY_END || byte === OBJECT_END;
      if (this.#depth === 0 && (isEnd || byte === COMMA)) {
        this.#readElement(chunk.subarray(start, place));
        return place;
      }
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OBJECT || byte === ARRAY) this.#depth += 1;
      else if (isEnd) this.#depth -= 1;
      place += 1;
    }
    this.#keepPart(chunk.subarray(start));
    return chunk.length;
  }

  #keepPart(part: Buffer): void {
    this.#parts.push(part);
    this.#partBytes += part.length;
    if (this.#partBytes > PIECE_BYTES) throw new PieceTooLong(this.#element);
  }

  #readElement(last: Buffer): void {
    this.#keepPart(last);
    if (!this.elements.read(Buffer.concat(this.#parts))) throw new ElementBroken(this.#element);
    this.#parts = [];
    this.#partBytes = 0;
    this.#where = 'after';
  }

  #nextElement(): void {
    this.#element += 1;
    this.#where = 'before';
  }

  /** The rest goes on with the byte that ends the list. */
  #endList(byte: number | undefined, place: number): number {
    if (byte !== ARRAY_END) throw new ElementBroken(this.#element);
    this.#where = 'beside';
    this.#depth = TOP + 1;
    return place;
  }

  /** Follows a string from `start` on; returns the place after its end, or the chunk's end. */
  #scanString(chunk: Buffer, start: number): number {
    let place = start;
    if (this.#isEscaped) {
      this.#isEscaped = false;
      place += 1;
    }
    for (; place < chunk.length; place++) {
      const byte = chunk[place];
      if (byte === QUOTE) {
        this.#inString = false;
        return place + 1;
      }
      if (byte === ESCAPE) {
        place += 1;
        this.#isEscaped = place === chunk.length;
      }
    }
    return chunk.length;
  }

  #scanRest(chunk: Buffer, start: number): number {
    let place = start;
    while (place < chunk.length && this.#where === 'beside') {
      if (this.#inString) {
        const end = this.#scanString(chunk, place);
        this.#nameParts?.push(chunk.subarray(place, end));
        if (!this.#inString) this.#endName();
        place = end;
        continue;
      }
      this.#readStructure(chunk[place] as number);
      place += 1;
    }
    const part = chunk.subarray(start, place);
    this.#restBytes += part.length;
    if (this.#restBytes > PIECE_BYTES) throw new PieceTooLong();
    this.#rest.push(part);
    return place;
  }

  /** A byte outside of strings and of the list. */
  #readStructure(byte: number): void {
    if (byte === QUOTE) {
      this.#inString = true;
      if (this.#expectsName) this.#nameParts = [];
    } else if (byte === ARRAY && this.#depth === TOP && this.#name === this.listName) {
      this.#depth = 0;
      this.#element = 0;
      this.#where = 'before';
    } else if (byte === OBJECT || byte === ARRAY) {
      this.#depth += 1;
      this.#expectsName = byte === OBJECT && this.#depth === TOP;
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      this.#depth -= 1;
    } else if (byte === COMMA && this.#depth === TOP) {
      this.#name = undefined;
      this.#expectsName = true;
    }
  }

  #endName(): void {
    if (this.#nameParts === undefined) return;
    const text = Buffer.concat(this.#nameParts).toString('utf8');
    this.#nameParts = undefined;
    this.#expectsName = false;
    try {
      this.#name = JSON.parse(`"${text}`) as string;
    } catch {
      // Then the rest is not JSON either, which comes out when it is parsed.
      return;
    }
    if (this.#names.has(this.#name)) this.repeated.add(this.#name);
    this.#names.add(this.#name);
  }
}
