import type { Address, MessagePartialSigner } from '@solana/kit';
import { toHex } from '#platform';
import { toBase64 } from '../http/base64.ts';
import { ClientError } from '../http/clientError.ts';
import { JsonFields } from '../http/jsonFields.ts';
import { isIssued, issued, statementBytes, symbolFrom } from './issued.ts';
import { settlementFaults } from './settlement.ts';
import type { SettledWindow, SignedWindow } from './window.ts';

/** First line of what is signed: no ledger's transaction begins with these bytes. */
const HEADING = 'payouts settled window 1';

/** What is signed: a line for each field, in this order. The transaction's bytes stand for themselves, by its own signature. */
function statement(window: SettledWindow): Uint8Array {
  const { settlement } = window;
  const fields = [
    window.program,
    window.vault,
    window.schedule,
    window.mint,
    window.decimals,
    window.symbol ?? '',
    window.window,
    toHex(window.root),
    window.recipients,
    window.promised,
    window.paidCount,
    window.paid,
    window.held.join(' '),
    toHex(window.bitmapHash),
    settlement.signature,
    settlement.slot ?? '',
    window.settledAt,
  ];
  return statementBytes(HEADING, fields);
}

/** Signs a settled window: once for all who were paid in it. Throws `SIGNATURE_MISSING`. */
export async function signWindow(window: SettledWindow, issuer: MessagePartialSigner): Promise<SignedWindow> {
  return { ...window, ...(await issued(statement(window), issuer)) };
}

/**
 * What is wrong with a signed window, each as a sentence; none: it is sound. Needs no network.
 *
 * @param authority the execution authority, where the verifier knows it; without it, whoever signed the settlement must have issued this
 */
export async function windowFaults(window: SignedWindow, authority?: Address): Promise<string[]> {
  const { settlement, signer } = await settlementFaults(window);
  const faults = [...settlement];
  if (authority === undefined ? signer !== undefined && signer !== window.issuer : authority !== window.issuer) {
    faults.push(
      authority === undefined
        ? 'The issuer is not the key that signed the settlement.'
        : 'The issuer is not the execution authority that was named.',
    );
  }
  if (!addsUp(window)) faults.push("The window's numbers contradict each other.");
  if (!(await isIssued(statement(window), window))) faults.push("The window's fields are not what the issuer signed.");
  return faults;
}

function addsUp({ recipients, promised, paidCount, paid, held }: SettledWindow): boolean {
  const isAscending = held.every((index, place) => index < recipients && index > (held[place - 1] ?? -1));
  const isWhole = paidCount < recipients ? paid < promised : paid === promised;
  return isAscending && paidCount + held.length <= recipients && isWhole && paid >= BigInt(paidCount);
}

/** A signed window as JSON: 64-bit numbers as decimal text, bytes as hexadecimal, the transaction in base 64. */
export type SignedWindowJson = ReturnType<typeof windowToJson>;

/** Writes a signed window. */
export function windowToJson(window: SignedWindow) {
  const { settlement } = window;
  return {
    program: window.program as string,
    vault: window.vault as string,
    schedule: window.schedule as string,
    mint: window.mint as string,
    decimals: window.decimals,
    symbol: window.symbol,
    window: window.window.toString(),
    root: toHex(window.root),
    recipients: window.recipients,
    promised: window.promised.toString(),
    paidCount: window.paidCount,
    paid: window.paid.toString(),
    held: [...window.held],
    bitmapHash: toHex(window.bitmapHash),
    settlement: {
      signature: settlement.signature,
      slot: settlement.slot === null ? null : settlement.slot.toString(),
      transaction: toBase64(settlement.transaction),
    },
    settledAt: window.settledAt,
    issuer: window.issuer as string,
    signature: window.signature,
  };
}

const FIELDS = ['program', 'vault', 'schedule', 'mint', 'decimals', 'symbol', 'window', 'root', 'recipients'].concat([
  'promised',
  'paidCount',
  'paid',
  'held',
  'bitmapHash',
  'settlement',
  'settledAt',
  'issuer',
  'signature',
]);

/** The names of a signed window's fields in JSON. */
export const WINDOW_FIELDS: readonly string[] = FIELDS;

/** A signed window from JSON as `windowToJson` writes it. */
export function windowFromFields(fields: JsonFields): SignedWindow {
  const settlement = fields.object('settlement', ['signature', 'slot', 'transaction']);
  return {
    program: fields.address('program'),
    vault: fields.address('vault'),
    schedule: fields.address('schedule'),
    mint: fields.address('mint'),
    decimals: fields.count('decimals'),
    symbol: symbolFrom(fields),
    window: fields.u64('window'),
    root: fields.bytes('root', 32),
    recipients: fields.count('recipients'),
    promised: fields.u64('promised'),
    paidCount: fields.count('paidCount'),
    paid: fields.u64('paid'),
    held: fields.counts('held'),
    bitmapHash: fields.bytes('bitmapHash', 32),
    settlement: {
      signature: settlement.signature('signature'),
      slot: settlement.raw('slot') === null ? null : settlement.u64('slot'),
      transaction: settlement.base64('transaction'),
    },
    settledAt: fields.count('settledAt'),
    issuer: fields.address('issuer'),
    signature: fields.signature('signature'),
  };
}

/** A signed window from a source that is not trusted. Throws `INVALID_PAYSLIP`, naming the field. */
export function windowFromJson(json: unknown): SignedWindow {
  const refuse = (what: string) => new ClientError('INVALID_PAYSLIP', `This is no settled window: ${what}.`);
  return windowFromFields(new JsonFields(json, '', WINDOW_FIELDS, refuse));
}
