import { type Address, isAddress } from '@solana/kit';
import { fromBase58 } from '../base58.ts';
import { isObject } from '../json.ts';
import { invalidParams } from './rpcError.ts';

/** A call's positional parameters, as parsed from JSON. */
export type Params = readonly unknown[];

/** The address at a position. */
export function addressParam(params: Params, index: number): Address {
  return toAddressParam(params[index]);
}

/** A value as an address. */
export function toAddressParam(value: unknown): Address {
  if (typeof value !== 'string' || !isAddress(value)) throw invalidParams(`${String(value)} is no base58 address`);
  return value;
}

/** The text at a position. */
export function stringParam(params: Params, index: number): string {
  const value = params[index];
  if (typeof value !== 'string') throw invalidParams(`parameter ${index} must be a string`);
  return value;
}

/** The whole number, zero or more, at a position. */
export function integerParam(params: Params, index: number): number {
  return toInteger(params[index], `parameter ${index}`);
}

/** A value as a whole number, zero or more. */
export function toInteger(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw invalidParams(`${name} must be a whole number`);
  }
  return Math.floor(value);
}

/** The options object at a position; an empty one when it is left out. Options that are null count as left out. */
export function optionsParam(params: Params, index: number): Record<string, unknown> {
  const value = params[index];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidParams(`parameter ${index} must be an object`);
  return Object.fromEntries(Object.entries(value).filter(([, option]) => option !== null));
}

/** The list of strings at a position, at most `limit` long. */
export function stringListParam(params: Params, index: number, limit: number): string[] {
  const value = params[index];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalidParams(`parameter ${index} must be a list of strings`);
  }
  if (value.length > limit) throw invalidParams(`Too many inputs provided; max ${limit}`);
  return value;
}

/** Bytes of base58 or base64 text. */
export function decodeBytes(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  try {
    return encoding === 'base58' ? fromBase58(text) : new Uint8Array(Buffer.from(text, 'base64'));
  } catch {
    throw invalidParams(`the data is no ${encoding}`);
  }
}
