/** Bytes that every form has at least: so many of each are looked up at every place. */
const KEY = 8;
const BITS = 24;

/** What is looked for; a decimal number counts only as a whole one, unlike what has but digits by chance. */
export type Form = { readonly bytes: Buffer; readonly isNumber: boolean };
/** `keyAt`: where in its bytes the key is. */
type Added = Form & { readonly what: string; readonly keyAt: number };

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/** Looks for many byte strings at once: once over the text, however many they are. */
export class Finder {
  /** Whether any form's key has this hash: settles nearly every place without a look into the map. */
  readonly #maybe = new Uint8Array(2 ** (BITS - 3));
  readonly #forms = new Map<number, Added[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** One that is added twice is found twice. */
  add({ bytes, isNumber }: Form, what: string): void {
    if (bytes.length < KEY) throw new Error(`A form of ${bytes.length} bytes is too short to be looked for.`);
    const keyAt = keyOf(bytes);
    const hash = hashOf(bytes.readUInt32BE(keyAt), bytes.readUInt32BE(keyAt + 4));
    const bit = hash >>> (32 - BITS);
    this.#maybe[bit >>> 3] = (this.#maybe[bit >>> 3] as number) | (1 << (bit & 7));
    const forms = this.#forms.get(hash) ?? [];
    forms.push({ bytes, what, isNumber, keyAt });
    this.#forms.set(hash, forms);
    this.#count += 1;
  }

  /** What is found in it, and where; never what it says. */
  *scan(hay: Buffer): Generator<{ readonly what: string; readonly at: number }> {
    let high = 0;
    let low = 0;
    for (let end = 0; end < hay.length; end++) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (hay[end] as number);
      if (end < KEY - 1) continue;
      const hash = hashOf(high, low);
      const bit = hash >>> (32 - BITS);
      if (((this.#maybe[bit >>> 3] as number) & (1 << (bit & 7))) === 0) continue;
      for (const { bytes, what, isNumber, keyAt } of this.#forms.get(hash) ?? []) {
        const at = end - KEY + 1 - keyAt;
        if (at < 0 || at + bytes.length > hay.length || bytes.compare(hay, at, at + bytes.length) !== 0) continue;
        if (isNumber && (isDigit(hay[at - 1]) || isDigit(hay[at + bytes.length]))) continue;
        yield { what, at };
      }
    }
  }
}

/**
 * Where the key of a form is: where its bytes differ most from each other. Amounts of one employer begin alike or end alike by the thousand,
 * and comparing each with all of them would take minutes.
 */
function keyOf(bytes: Buffer): number {
  const last = bytes.length - KEY;
  let best = 0;
  let most = 0;
  for (const at of [0, last >> 1, last]) {
    const distinct = new Set(bytes.subarray(at, at + KEY)).size;
    if (distinct > most) {
      best = at;
      most = distinct;
    }
  }
  return best;
}

const hashOf = (high: number, low: number): number => (Math.imul(high, 0x9e3779b1) ^ Math.imul(low, 0x85ebca6b)) >>> 0;
