import { type Address, getBase58Encoder } from '@solana/kit';
import { fromHex } from '#platform';
import { isAddressText } from '../accounts/base58.ts';
import { MAX_U64 } from '../merkle/limits.ts';
import { fromBase64, toBase64 } from './base64.ts';

const DECIMAL = /^(0|[1-9][0-9]{0,19})$/;
const HEX = /^([0-9a-f]{2})*$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SIGNATURE_BYTES = 64;

/**
 * The fields of a JSON object from a source that is not trusted, each in the one form in which it is written: nothing else may stand in
 * the object. `refuse` makes the error from what is wrong; it is thrown.
 */
export class JsonFields {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #refuse: (what: string) => Error;

  constructor(value: unknown, path: string, names: readonly string[], refuse: (what: string) => Error) {
    this.#path = path;
    this.#refuse = refuse;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refuse(path === '' ? 'it is no JSON object' : `"${path}" is no object`);
    }
    this.#fields = value as Record<string, unknown>;
    const unknown = Object.keys(value).find((name) => !names.includes(name));
    // What was sent is not repeated: it may be anything.
    if (unknown !== undefined)
      throw refuse(`${path === '' ? 'it' : `"${path}"`} has a field that does not belong there`);
  }

  raw(name: string): unknown {
    return this.#fields[name];
  }

  object(name: string, names: readonly string[]): JsonFields {
    return new JsonFields(this.#fields[name], this.#pathOf(name), names, this.#refuse);
  }

  objects(name: string, names: readonly string[]): JsonFields[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return this.#fail(name, 'is no list');
    return value.map((one, place) => new JsonFields(one, `${this.#pathOf(name)}.${place}`, names, this.#refuse));
  }

  address(name: string): Address {
    const value = this.#fields[name];
    return typeof value === 'string' && isAddressText(value) ? value : this.#fail(name, 'is no address');
  }

  addresses(name: string): Address[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return this.#fail(name, 'is no list');
    return value.map((one) =>
      typeof one === 'string' && isAddressText(one) ? one : this.#fail(name, 'has what is no address'),
    );
  }

  /** Base-58 text of 64 bytes. */
  signature(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string' || !isSignatureText(value)) return this.#fail(name, 'is no signature');
    return value;
  }

  /** A whole number that a double holds exactly. */
  count(name: string): number {
    const value = this.#fields[name];
    const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
    return isCount ? value : this.#fail(name, 'is no count');
  }

  counts(name: string): number[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return this.#fail(name, 'is no list');
    return value.map((one: unknown) =>
      Number.isSafeInteger(one) && (one as number) >= 0 ? (one as number) : this.#fail(name, 'has what is no count'),
    );
  }

  u64(name: string): bigint {
    const value = this.#fields[name];
    const isNumber = typeof value === 'string' && DECIMAL.test(value) && BigInt(value) <= MAX_U64;
    return isNumber ? BigInt(value) : this.#fail(name, 'is not decimal text of 64 bits');
  }

  /** Lower-case hexadecimal of so many bytes. */
  bytes(name: string, length: number): Uint8Array {
    return this.#bytesOf(this.#fields[name], length) ?? this.#fail(name, `is not ${length} bytes in hexadecimal`);
  }

  hashes(name: string): Uint8Array[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) return this.#fail(name, 'is no list');
    return value.map((one) => this.#bytesOf(one, 32) ?? this.#fail(name, 'has what is no hash'));
  }

  base64(name: string): Uint8Array {
    const value = this.#fields[name];
    // Only the one text that stands for the bytes.
    const bytes = typeof value === 'string' && BASE64.test(value) ? fromBase64(value) : undefined;
    if (bytes === undefined || toBase64(bytes) !== value) return this.#fail(name, 'is not base 64');
    return bytes;
  }

  text<const T extends string>(name: string, values: readonly T[]): T {
    const found = values.find((value) => value === this.#fields[name]);
    return found ?? this.#fail(name, `is neither ${values.join(' nor ')}`);
  }

  matching(name: string, pattern: RegExp, what: string): string {
    return this.passing(name, (text) => pattern.test(text), what);
  }

  passing(name: string, isRight: (text: string) => boolean, what: string): string {
    const value = this.#fields[name];
    return typeof value === 'string' && isRight(value) ? value : this.#fail(name, `is no ${what}`);
  }

  #bytesOf(value: unknown, length: number): Uint8Array | undefined {
    const isHex = typeof value === 'string' && value.length === 2 * length && HEX.test(value);
    return isHex ? fromHex(value) : undefined;
  }

  #fail(name: string, what: string): never {
    throw this.#refuse(`"${this.#pathOf(name)}" ${what}`);
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

function isSignatureText(value: string): boolean {
  try {
    return value.length <= 90 && getBase58Encoder().encode(value).length === SIGNATURE_BYTES;
  } catch {
    return false;
  }
}
