import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  deriveSalt,
  leafHash,
  listFromRecipients,
  ownerRecord,
  type Payee,
  prepareList,
  type Recipient,
  recipientsFromJson,
  recipientsToJson,
  verifyRange,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const payees = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ recipient: randomAddress(), amount: BigInt(place + 1) }));

describe('prepareList', () => {
  it('keeps every payee, numbers them and adds them up', () => {
    const input = payees(200);
    const { recipients, total, tree, root } = prepareList(input);
    expect(recipients.map(({ index }) => index)).toEqual(input.map((_, place) => place));
    expect(total).toBe(20_100n);
    const pairs = (items: readonly { recipient: string; amount: bigint }[]) =>
      items.map(({ recipient, amount }) => `${recipient}:${amount}`).sort();
    expect(pairs(recipients)).toEqual(pairs(input));
    const leafHashes = [leafHash(recipients[17] as Recipient)];
    expect(verifyRange({ root, leafCount: 200, start: 17, leafHashes, proof: tree.proof(17) })).toBe(true);
  });

  it('shuffles', () => {
    const input = payees(200);
    const order = prepareList(input).recipients.map(({ amount }) => amount);
    expect(order).not.toEqual(input.map(({ amount }) => amount));
    expect(prepareList(input).recipients.map(({ amount }) => amount)).not.toEqual(order);
  });

  it('has in neighbours’ places owners that are neighbours, in blocks, of which neither order says anything', () => {
    const salts = new Map<string, Uint8Array>();
    const saltFor = (recipient: Recipient['recipient']) => {
      const salt = salts.get(recipient) ?? new Uint8Array(randomBytes(16));
      salts.set(recipient, salt);
      return salt;
    };
    const input = payees(2_000);
    const ownersOf = () => prepareList(input, { saltFor }).recipients.map((each) => hex(ownerRecord(each).owner));
    const blocks = ownersOf().toSorted();
    const blockOf = new Map(blocks.map((owner, at) => [owner, Math.floor(at / 256)]));
    const orders = Array.from({ length: 2 }, () => {
      const owners = ownersOf();
      const runs = owners.map((owner) => blockOf.get(owner)).filter((block, at, all) => block !== all[at - 1]);
      // Each block stands together, and once.
      expect(runs.toSorted()).toEqual(Array.from({ length: 8 }, (_, block) => block));
      return { owners, runs };
    });
    expect(orders[0]?.owners).not.toEqual(orders[1]?.owners);
    // Neither the blocks nor those in one stand in the order of their owners: by chance once in 40,000 runs.
    expect(orders.some(({ runs }) => runs.join() !== '0,1,2,3,4,5,6,7')).toBe(true);
    for (const { owners } of orders) {
      const first = owners.filter((owner) => blockOf.get(owner) === 0);
      expect(first).not.toEqual(first.toSorted());
    }
  });

  it('gives a recipient who stands in the list twice one salt, and others other ones', () => {
    const [first, second] = payees(2) as [Payee, Payee];
    const { recipients } = prepareList([first, second, { ...first, amount: 9n }]);
    const salts = new Set(recipients.map(({ salt }) => Buffer.from(salt).toString('hex')));
    expect(salts.size).toBe(2);
  });

  it('takes salts from the employer’s secret', () => {
    const [secret, mint] = [randomBytes(32), randomAddress()];
    const input = payees(5);
    const saltFor = (recipient: Recipient['recipient']) => deriveSalt(secret, mint, recipient);
    for (const { recipient, salt } of prepareList(input, { saltFor }).recipients) {
      expect(salt).toEqual(deriveSalt(secret, mint, recipient));
      expect(salt).toHaveLength(16);
      expect(salt).not.toEqual(deriveSalt(secret, randomAddress(), recipient));
      expect(salt).not.toEqual(deriveSalt(randomBytes(32), mint, recipient));
    }
  });

  it.each([
    ['no payees', []],
    ['an amount of zero', [{ recipient: randomAddress(), amount: 0n }]],
    ['a negative amount', [{ recipient: randomAddress(), amount: -1n }]],
    ['a total above 64 bits', [2n ** 63n, 2n ** 63n].map((amount) => ({ recipient: randomAddress(), amount }))],
  ])('refuses %s', (_, input) => {
    expect(() => prepareList(input)).toThrow(expect.objectContaining({ code: 'INVALID_LIST' }));
  });
});

describe('listFromRecipients', () => {
  it('rebuilds the same root from the JSON of POST /api/schedules, in any order', () => {
    const list = prepareList(
      payees(50).map((payee, place) => ({ ...payee, delivery: place % 2 ? 'wallet' : 'balance' })),
    );
    const json: unknown = JSON.parse(JSON.stringify(recipientsToJson(list.recipients)));
    const read = recipientsFromJson(json);
    expect(read).toEqual(list.recipients);
    expect(listFromRecipients(read.reverse()).root).toEqual(list.root);
  });

  it('refuses a gap and a repeated index', () => {
    const recipients = [...prepareList(payees(5)).recipients];
    expect(() => listFromRecipients(recipients.toSpliced(2, 1))).toThrow('Index 2');
    expect(() => listFromRecipients([...recipients, recipients[2] as Recipient])).toThrow('Index 3');
  });
});

describe('recipientsFromJson', () => {
  const [good] = recipientsToJson(prepareList(payees(1)).recipients);
  it.each([
    ['a negative index', { index: -1 }],
    ['a broken index', { index: 0.5 }],
    ['a short recipient', { recipient: 'abc' }],
    ['an amount as a number', { amount: 5 }],
    ['an amount with a sign', { amount: '-5' }],
    ['an amount with a point', { amount: '5.0' }],
    ['an amount above 64 bits', { amount: '18446744073709551616' }],
    ['a short salt', { salt: 'ab' }],
    ['a salt that is not hexadecimal', { salt: 'zz'.repeat(16) }],
    ['an unknown delivery', { delivery: 'pigeon' }],
  ])('refuses %s without quoting it', (_, change) => {
    const read = () => recipientsFromJson([{ ...good, ...change }]);
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_LIST' }));
    expect(read).toThrow(/^Entry 0 of the recipients: [a-z 0-9]+\.$/);
  });

  it('refuses what is not a list of objects', () => {
    for (const json of [undefined, null, {}, 'text', [null], [1]]) {
      expect(() => recipientsFromJson(json)).toThrow(expect.objectContaining({ code: 'INVALID_LIST' }));
    }
  });
});
