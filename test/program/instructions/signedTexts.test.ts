import { addressFromBytes, authorisationMessage, readingMessage } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import type { Address, Instruction } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { holderIn, paid } from '../fixtures/index.ts';
import { NEVER, signedBy } from '../harness/authorisation.ts';

/** Each text is tried so often, of each kind: a try takes milliseconds. */
const TRIES = { numRuns: 40 };
/** Units that a call may take more because a key acts than if the recipient did. */
const MOST_UNITS = 5_000;
/** Letters of `2026-11-26 16:45:00 UTC`, with which a text ends. */
const TIME_LETTERS = 23;

const scene = paid();
const { world } = scene;
const holder = holderIn(scene);
const { recipient, personal } = holder;
const KEY = named('key for one transaction');
const act = (by: Address): Instruction => build.setStandingOrder(holder, 900n, WALLET, by);
const failure = (...instructions: readonly Instruction[]) => world.sendToLayer(...instructions).failure;
const signed = (text: Uint8Array) => signedBy(recipient, text);

/** Addresses of all lengths that base 58 gives them. */
const addresses = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(31))
  .map(([bytes, zeros]) => addressFromBytes(bytes.fill(0, 0, zeros)));
const times = fc.bigInt({ min: world.now, max: NEVER });

/** A text that may be signed, and what is done by it. */
const TEXTS: readonly [string, Uint8Array, Instruction][] = [
  [
    'lets a key act',
    authorisationMessage({ program: LEDGER_PROGRAM, personal, signer: KEY, expiresAt: NEVER }),
    act(KEY),
  ],
  ['shows a balance', readingMessage(LEDGER_PROGRAM, holder.owner, NEVER), build.showBalance(holder)],
];

describe('a text that a recipient signs', () => {
  it('is taken as the client writes it, whatever key it names, until any time', () => {
    fc.assert(
      fc.property(addresses, times, (signer, expiresAt) => {
        const text = authorisationMessage({ program: LEDGER_PROGRAM, personal, signer, expiresAt });
        must(world.sendToLayer(signed(text), act(signer)));
        must(
          world.sendToLayer(signed(readingMessage(LEDGER_PROGRAM, holder.owner, expiresAt)), build.showBalance(holder)),
        );
      }),
      TRIES,
    );
  });

  it.each(TEXTS)('that %s is refused with any letter changed, left out or added before its time', (_, text, call) => {
    must(world.sendToLayer(signed(text), call));
    const places = fc.nat(text.length - TIME_LETTERS - 1);
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 255 }), (place, change) => {
        expect(failure(signed(text.with(place, (text[place] as number) ^ change)), call)).toBe('NotRecipient');
      }),
      TRIES,
    );
    fc.assert(
      fc.property(places, fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.boolean(), (place, more, replaces) => {
        const rest = text.subarray(place + (replaces ? more.length : 0));
        const other = Buffer.concat([text.subarray(0, place), more, rest]);
        if (!other.equals(text)) expect(failure(signed(other), call)).toBe('NotRecipient');
      }),
      TRIES,
    );
    fc.assert(
      fc.property(places, fc.nat(64), (place, less) => {
        const other = Buffer.concat([text.subarray(0, place), text.subarray(place + less + 1)]);
        expect(failure(signed(other), call)).toBe('NotRecipient');
      }),
      TRIES,
    );
  });

  it.each(TEXTS)('that %s is refused with a time that is none, or is written otherwise', (_, text, call) => {
    const until = (time: string) =>
      signed(Buffer.concat([text.subarray(0, -TIME_LETTERS), Buffer.from(time, 'latin1')]));
    must(world.sendToLayer(until('9996-02-29 00:00:00 UTC'), call));
    for (const time of [
      ...['9999-02-29 00:00:00 UTC', '9900-02-29 00:00:00 UTC', '9999-04-31 00:00:00 UTC', '9999-12-32 00:00:00 UTC'],
      ...['9999-13-01 00:00:00 UTC', '9999-00-01 00:00:00 UTC', '9999-01-00 00:00:00 UTC', '1969-12-31 23:59:59 UTC'],
      ...['9999-12-31 24:00:00 UTC', '9999-12-31 23:60:00 UTC', '9999-12-31 23:59:60 UTC', '0000-00-00 00:00:00 UTC'],
      ...['9999-12-31T23:59:59 UTC', '9999-12-31 23:59:59 CET', '9999-12-31 23:59:59 utc', '9999/12/31 23:59:59 UTC'],
      ...['9999-12-31 23:59:59', '9999-12-31 23:59:59 UTC ', '9999-12-31 23:59:59 UTC\n', '+9999-12-31 23:59:5 UTC'],
      ...['999:-12-31 23:59:59 UTC', '9999-1/-31 23:59:59 UTC', '9999-12-31 2 :59:59 UTC', '9999-12-31 23:59:5Z UTC'],
    ]) {
      expect(failure(until(time), call), time).toBe('NotRecipient');
    }
    expect(failure(until('1970-01-01 00:00:00 UTC'), call)).toBe('AuthorisationExpired');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: TIME_LETTERS, maxLength: TIME_LETTERS }), (any) => {
        expect(failure(until(Buffer.from(any).toString('latin1')), call)).toBe('NotRecipient');
      }),
      TRIES,
    );
  });

  it('costs little more than the recipient’s own signature of the transaction', () => {
    const units = (...instructions: readonly Instruction[]) => must(world.sendToLayer(...instructions)).computeUnits;
    const [, text] = TEXTS[0] as (typeof TEXTS)[number];
    expect(units(signed(text), act(KEY)) - units(act(recipient))).toBeLessThan(MOST_UNITS);
  });
});
