import { textSigner } from '@payouts/testing/textSigner';
import { type Address, generateKeyPairSigner, getTransactionDecoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  authorisationMessage,
  buildTransaction,
  delegationText,
  expiryOf,
  readDelegation,
  readingMessage,
  signedInstruction,
  signRequest,
  systemTime,
} from '../src/index.ts';
import { lifetime, randomAddress } from './support.ts';

const PROGRAM = 'Pay69CAL76Kk8jUQd1FX5wkbqn45NzYdmXJptBsMgxX' as Address;
const PERSONAL = 'D85PwttfRjZ33dmxsq8YSqDtmw9CuqsoPxcmcDWSgcXQ' as Address;
const SIGNER = 'B3AEZ1GKa49XQXhdD3BJXXJnqoEh9REbAQxv8WvfXdME' as Address;
const END = 1_795_711_500n;
/** The last second of the year 9999. */
const LAST = 253_402_300_799n;

const addresses = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(31))
  .map(([bytes, zeros]) => addressFromBytes(bytes.fill(0, 0, zeros)));
const times = fc.bigInt({ min: 0n, max: LAST });
/** Both kinds of text, about anything. */
const texts = fc.oneof(
  fc.tuple(addresses, addresses, addresses, times).map(([program, personal, signer, expiresAt]) => {
    return authorisationMessage({ program, personal, signer, expiresAt });
  }),
  fc
    .tuple(addresses, fc.uint8Array({ minLength: 32, maxLength: 32 }), times)
    .map(([program, owner, until]) => readingMessage(program, owner, until)),
);
/** A length in the head of an off-chain message, u16. */
const length = (bytes: number) => new Uint8Array(Uint16Array.of(bytes).buffer);
const shown = (message: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(message);

describe('what a recipient signs', () => {
  it('says in their wallet what it allows, whom, where and until when', () => {
    const message = authorisationMessage({ program: PROGRAM, personal: PERSONAL, signer: SIGNER, expiresAt: END });
    expect(shown(message).split('\n')).toEqual([
      'Payouts: let a key act for me on a private balance',
      '',
      'Until the time below, the key can send that money to any wallet. Sign this only for what you have just asked for.',
      '',
      `Key: ${SIGNER}`,
      `Account: ${PERSONAL}`,
      `Program: ${PROGRAM} `,
      'Until: 2026-11-26 16:45:00 UTC',
    ]);
    expect(shown(readingMessage(PROGRAM, new Uint8Array(32).fill(255), END)).split('\n')).toEqual([
      'Payouts: show a private balance',
      '',
      'Until the time below, whoever has this signature sees that balance. Sign this only for what you have just asked for.',
      '',
      'Owner: JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG',
      `Program: ${PROGRAM} `,
      'Until: 2026-11-26 16:45:00 UTC',
    ]);
  });

  it('is printable ASCII in lines, of one length for each purpose, and signed by a wallet that refuses all but texts', async () => {
    const wallet = textSigner(await generateKeyPairSigner());
    await fc.assert(
      fc.asyncProperty(texts, async (message) => {
        expect(shown(message)).toMatch(/^[\x20-\x7e\n]+$/);
        expect([355, 287]).toContain(message.length);
        await wallet.signMessages([{ content: message, signatures: {} }]);
      }),
      { numRuns: 50 },
    );
  });

  it('would be refused by such a wallet as bytes, or as what could be a transaction', async () => {
    const signer = await generateKeyPairSigner();
    const { wire } = await buildTransaction({ feePayer: signer, instructions: [], lifetime });
    const transaction = new Uint8Array(Buffer.from(wire, 'base64'));
    const { messageBytes } = getTransactionDecoder().decode(transaction);
    for (const content of [Uint8Array.of(0xff, 0x70), Uint8Array.of(0x61, 0), transaction, messageBytes]) {
      const asked = { content: content as Uint8Array, signatures: {} };
      await expect(textSigner(signer).signMessages([asked])).rejects.toThrow();
    }
  });

  it('says its time so that it can be read back, and nothing else is read as one', () => {
    fc.assert(
      fc.property(times, (expiresAt) => {
        expect(expiryOf({ message: readingMessage(PROGRAM, new Uint8Array(32), expiresAt) })).toBe(expiresAt);
      }),
    );
    const message = readingMessage(PROGRAM, new Uint8Array(32), END);
    const until = (time: string) => expiryOf({ message: Buffer.concat([message.subarray(0, -23), Buffer.from(time)]) });
    expect(until('2026-11-26 16:45:00 UTC')).toBe(END);
    for (const time of [
      ...['2026-02-29 16:45:00 UTC', '2026-11-26 24:00:00 UTC', '2026-11-26 16:60:00 UTC', '2026-13-26 16:45:00 UTC'],
      ...['2026-11-26T16:45:00 UTC', '2026-11-26 16:45:00 CET', '2026-11-26 16:45:00.0 Z', '26 November 2026 16h45m'],
    ]) {
      expect(until(time), time).toBeUndefined();
    }
    expect(expiryOf({ message: new Uint8Array() })).toBeUndefined();
  });

  it('takes no text for an address that could bring lines of its own', () => {
    const terms = { program: PROGRAM, personal: PERSONAL, signer: SIGNER, expiresAt: END };
    for (const field of ['program', 'personal', 'signer'] as const) {
      for (const wrong of [`${SIGNER}\nKey: ${SIGNER}`, ` ${SIGNER.slice(1)}`, '', `${SIGNER}1`]) {
        expect(() => authorisationMessage({ ...terms, [field]: wrong as Address })).toThrow('An address is');
      }
    }
    for (const length of [0, 31, 33]) {
      expect(() => readingMessage(PROGRAM, new Uint8Array(length), END)).toThrow('An address has');
    }
  });

  it('is refused by a wallet that puts it into an envelope, as hardware wallets do', async () => {
    const wallet = await generateKeyPairSigner();
    const message = authorisationMessage({ program: PROGRAM, personal: PERSONAL, signer: SIGNER, expiresAt: END });
    const enveloped: typeof wallet.signMessages = (messages) =>
      wallet.signMessages(
        messages.map(({ content, signatures }) => {
          const head = [0xff, ...new TextEncoder().encode('solana offchain'), 0, 0, ...length(content.length)];
          return { content: Uint8Array.of(...head, ...content), signatures };
        }),
      );
    await expect(signedInstruction({ ...wallet, signMessages: enveloped }, message)).rejects.toMatchObject({
      code: 'SIGNATURE_MISSING',
      message: expect.stringContaining('hardware wallets'),
    });
    const { data } = await signedInstruction(wallet, message);
    expect(data?.slice(-message.length)).toEqual(message);
  });

  it('is never what they sign elsewhere: a sign-in to the coordinator, or a request to it', async () => {
    const firstLines = new Set([
      'Payouts: let a key act for me on a private balance',
      'Payouts: show a private balance',
    ]);
    const wallet = await generateKeyPairSigner();
    const signed: string[] = [];
    const signMessages: typeof wallet.signMessages = (messages) => {
      signed.push(...messages.map(({ content }) => shown(content as Uint8Array)));
      return wallet.signMessages(messages);
    };
    await signRequest({ url: 'http://payouts.example/', signer: { ...wallet, signMessages }, time: systemTime });
    const delegation = { origin: 'https://a.example', wallet: wallet.address, session: randomAddress() };
    signed.push(delegationText({ ...delegation, encryption: null, expires: Number(END) }));
    expect(signed).toHaveLength(2);
    for (const text of signed) expect(firstLines).not.toContain(text.split('\n')[0]);
    fc.assert(
      fc.property(texts, (message) => {
        expect(() => readDelegation(shown(message))).toThrow('first');
      }),
    );
  });
});
