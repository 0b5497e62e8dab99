import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { MAX_LEAVES, MerkleTree, prepareList, recipientsToJson, systemTime } from '@payouts/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../src/domain/problems.ts';
import { readBody } from '../src/lists/body.ts';
import { PIECE_BYTES } from '../src/lists/listScanner.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { readWhole, type Verdict } from './support/registrationReference.ts';

const LIMIT = 1_000_000;
const NOT_JSON = { code: 'invalid-json' };

/** Cuts bytes after these lengths, over and over. */
function chunksOf(body: Uint8Array, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0, turn = 0; start < body.length; turn++) {
    const length = lengths[turn % lengths.length] ?? body.length;
    chunks.push(Buffer.from(body.subarray(start, start + length)));
    start += length;
  }
  return chunks;
}

/** The service's reading of a body that arrives in such chunks, in the reference's words. */
async function read(body: Uint8Array, lengths: readonly number[] = [body.length], limit = LIMIT): Promise<Verdict> {
  try {
    const { schedulePda, mint, list } = await readBody(Readable.from(chunksOf(body, lengths)), {
      limitBytes: limit,
      time: systemTime,
    });
    const { total, beyond, records } = list;
    const recipients = (await records.recipients()).map((one) => ({
      ...one,
      salt: Buffer.from(one.salt).toString('hex'),
    }));
    return { list: { schedulePda, mint, total, beyond, recipients: beyond === undefined ? recipients : [] } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, extra } = error;
    return code === 'invalid-json' ? { code } : { code, ...extra };
  }
}

const bytes = (body: string | Uint8Array | object): Buffer =>
  body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
const entriesOf = (size: number) => recipientsToJson(prepareList(somePayees(size)).recipients);
const bodyOf = (size: number) => ({ schedulePda: randomAddress(), recipients: entriesOf(size) });

/** Text of JSON that says the same in another way. */
const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
const escaped = (text: string) => text.replace(/[a-z0-9]/, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const textOf = fc.constantFrom<(text: string) => string>(
  ...[(text: string) => text, (text: string) => text, (text: string) => text, escaped].map(
    (how) => (text: string) => `"${how(text)}"`,
  ),
);
// Made once: fast-check takes longer to read an expression than for all that is drawn by it.
const hash = fc.stringMatching(/^[0-9a-fA-F]{64}$/);
const salt = fc.stringMatching(/^[0-9a-fA-F]{32}$/);

const entryArbitrary = (index: number) =>
  fc
    .record({
      recipient: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(() => randomAddress()),
      amount: fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 1n, max: 10n ** 16n })),
      salt,
      delivery: fc.constantFrom(undefined, 'balance', 'wallet'),
      proof: fc.option(fc.array(hash, { maxLength: 3 }), { nil: undefined }),
      number: fc.constantFrom(String(index), String(index), String(index), `${index}.0`, `${index}e0`, `${index}E+0`),
      order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
      space: spaces,
      text: textOf,
    })
    .map(({ number, recipient, amount, salt, delivery, proof, order, space, text }) => {
      const fields = [
        ['index', number],
        ['recipient', text(recipient)],
        ['amount', text(String(amount))],
        ['salt', text(salt)],
        ['delivery', delivery && text(delivery)],
        ['proof', proof && `[${space}${proof.map((one) => text(one)).join(`${space},${space}`)}${space}]`],
      ];
      const said = order.map((place) => fields[place] as [string, string | undefined]).filter(([, value]) => value);
      const inner = said.map(([name, value]) => `${space}${text(name)}${space}:${space}${value}${space}`).join(',');
      return `${space}{${inner}}${space}`;
    });

const bodyArbitrary = fc
  .array(fc.nat(), { minLength: 1, maxLength: 6 })
  .chain((list) =>
    fc.record({
      entries: fc.tuple(...list.map((_, index) => entryArbitrary(index))).map((entries) => entries as string[]),
      order: fc.constantFrom([0, 1], [1, 0], [0, 1, 2], [2, 1, 0], [1, 2, 0]),
      seed: fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
      space: spaces,
      text: textOf,
    }),
  )
  .map(({ entries, order, seed, space, text }) => {
    const list = seed.map((place) => entries[place]).join(',');
    const fields = [
      `${text('schedulePda')}${space}:${text(randomAddress())}`,
      `${text('recipients')}:${space}[${list}]`,
      `${text('mint')}${space}:${space}${text(randomAddress())}`,
    ];
    return Buffer.from(`${space}{${order.map((place) => `${space}${fields[place]}${space}`).join(',')}}${space}`);
  });

/** Bytes that mean something to a reader of JSON, and some that don't. */
const telling = fc.constantFrom(...Buffer.from('"\\{}[],:0123456789.-+eE tfnulrabisx\n'), 0, 31, 127, 128, 0xc3, 0xff);
const mutation = fc.record({
  kind: fc.constantFrom('change', 'insert', 'remove', 'cut', 'repeat', 'swap', 'say', 'say', 'say'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 120 }),
  byte: telling,
});
/** Other things to say, where one of the first stands. */
const SAYINGS = [
  ['"amount"', '"amounts"'],
  ['"index":', '"index":-'],
  ['"salt":"', '"salt":5,"x":"'],
  ['"proof":[', '"proof":[5,'],
  ['"balance"', '"pigeon"'],
  ['"recipient":"', '"recipient":"0'],
  ['"amount":"', '"amount":"0'],
  ['"salt":"', '"salt":"g'],
  ['"amount":"', '"amount":"99999999999999999999'],
  ['{"', '{"name":[{}],"'],
  ['},', '},null,'],
  [']', ',{}]'],
] as const;

type Mutation = { kind: string; at: number; length: number; byte: number };

function mutated(body: Buffer, { kind, at, length, byte }: Mutation): Buffer {
  const place = Math.min(body.length - 1, Math.floor(at * body.length));
  const [before, after] = [body.subarray(0, place), body.subarray(place)];
  switch (kind) {
    case 'change':
      return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
    case 'insert':
      return Buffer.concat([before, Buffer.of(byte), after]);
    case 'remove':
      return Buffer.concat([before, after.subarray(length)]);
    case 'cut':
      return before;
    case 'say': {
      const [said, instead] = SAYINGS[length % SAYINGS.length] as (typeof SAYINGS)[number];
      return Buffer.from(body.toString('latin1').replace(said, instead), 'latin1');
    }
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, length), after]);
    default:
      return Buffer.concat([
        before,
        after.subarray(length, 2 * length),
        after.subarray(0, length),
        after.subarray(2 * length),
      ]);
  }
}

const lengths = fc.oneof(
  { weight: 1, arbitrary: fc.constant([1]) },
  { weight: 4, arbitrary: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }) },
);

describe("a registration's body", () => {
  it('says the same however it is written and arrives', async () => {
    await fc.assert(
      fc.asyncProperty(bodyArbitrary, lengths, async (body, cut) => {
        const verdict = readWhole(body);
        expect(verdict).toHaveProperty('list');
        expect(await read(body)).toEqual(verdict);
        expect(await read(body, cut)).toEqual(verdict);
      }),
      { numRuns: 80 },
    );
  });

  it('is judged like the whole by the simple reader, whatever was done to it, and however it arrives', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        bodyArbitrary,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        lengths,
        async (body, changes, cut) => {
          const changed = changes.reduce<Buffer>(
            (now, change) => (now.length === 0 ? now : mutated(now, change)),
            body,
          );
          const verdict = readWhole(changed);
          // A name that stands twice is told apart only by the service.
          const service = await read(changed, cut);
          seen.add('code' in verdict ? String(verdict.code) : 'taken');
          if (isRepeat(service, verdict)) return;
          expect(service).toEqual(verdict);
        },
      ),
      { numRuns: 300 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['invalid-json', 'invalid-body', 'invalid-recipient', 'taken']));
  });

  const isRepeat = (service: Verdict, reference: Verdict) =>
    'code' in service &&
    service.code === 'invalid-body' &&
    ['/schedulePda', '/mint', '/recipients'].includes(String(service.pointer)) &&
    !('code' in reference && reference.code === 'invalid-json');

  const plain = JSON.stringify(bodyOf(3));
  const [first] = entriesOf(1);
  const withEntry = (entry: string) => `{"schedulePda":"${randomAddress()}","recipients":[${entry}]}`;

  const changed = (change: object) => JSON.stringify({ ...first, ...change });
  const misshapen = (pointer: string) => ({ code: 'invalid-body', pointer });
  const invalid = (field: string) => ({ code: 'invalid-recipient', field });
  it.each<[string, string | Uint8Array, Record<string, unknown>]>([
    ['nothing', '', NOT_JSON],
    ['text after its end', `${plain}x`, NOT_JSON],
    ['another document after its end', `${plain}${plain}`, NOT_JSON],
    ['no end', plain.slice(0, -1), NOT_JSON],
    ['no end of the list', plain.slice(0, -2), NOT_JSON],
    ['a comma after the last entry', plain.replace(']}', ',]}'), NOT_JSON],
    ['two commas', plain.replace('},{', '},,{'), NOT_JSON],
    ['no comma', plain.replace('},{', '} {'), NOT_JSON],
    ['a comma before the first entry', plain.replace('[{', '[,{'), NOT_JSON],
    ['the wrong bracket', plain.replace(']}', '}}'), NOT_JSON],
    ['a comment', plain.replace('[{', '[/* */{'), NOT_JSON],
    ['a byte order mark', `\ufeff${plain}`, NOT_JSON],
    ['NUL in a text', plain.replace('"amount":"', '"amount":"\0'), NOT_JSON],
    ['NUL as an escape', plain.replace('"amount":"', '"amount":"\\u0000'), invalid('amount')],
    ['bytes that are not UTF-8', Buffer.from(plain.replace('"amount":"', '"amount":"\u00ff'), 'latin1'), NOT_JSON],
    ['a character of two bytes', plain.replace('"amount":"', '"amount":"é'), invalid('amount')],
    ['a digit of another script', plain.replace(/"amount":"./, '"amount":"٧'), invalid('amount')],
    ['half a character as an escape', plain.replace('"salt":"', '"salt":"\\ud800'), invalid('salt')],
    ['a list', '[]', misshapen('')],
    ['a list that looks like the object', '["recipients",[{}]]', misshapen('')],
    ['null', 'null', misshapen('')],
    ['the schedule twice', plain.replace('{', '{"schedulePda":"x",'), misshapen('/schedulePda')],
    ['the list twice', plain.replace('{', '{"recipients":[],'), misshapen('/recipients')],
    ['the list twice, once by escapes', plain.replace('{', '{"recip\\u0069ents":[1],'), misshapen('/recipients')],
    ['an unknown field', plain.replace('{', '{"total":1,'), misshapen('/total')],
    ['a field that may be private', plain.replace('{', `{"${randomAddress()}":1,`), misshapen('')],
    ['a field named like a prototype', plain.replace('{', '{"__proto__":{"mint":1},'), misshapen('')],
    ['a mint that is no address', plain.replace('{', '{"mint":"x",'), misshapen('/mint')],
    ['no list', '{"schedulePda":"x"}', misshapen('/recipients')],
    ['an empty list', '{"schedulePda":"x","recipients":[ \n]}', misshapen('/recipients')],
    ['an object for a list', '{"schedulePda":"x","recipients":{}}', misshapen('/recipients')],
    ['a list of the name elsewhere', '{"schedulePda":{"recipients":[1]},"recipients":[{}]}', misshapen('/schedulePda')],
    [
      'a schedule that is no address',
      plain.replace('{"schedulePda":"', '{"schedulePda":"0'),
      { code: 'invalid-address' },
    ],
    ['an entry that is a number', withEntry('5'), misshapen('/recipients/0')],
    ['an entry that is a list', withEntry('[{}]'), misshapen('/recipients/0')],
    ['nested lists without end', withEntry('['.repeat(50_000)), NOT_JSON],
    ['deeply nested lists', withEntry(`${'['.repeat(30_000)}${']'.repeat(30_000)}`), misshapen('/recipients/0')],
    [
      'a proof with too many hashes',
      withEntry(changed({ proof: Array(18).fill('00'.repeat(32)) })),
      misshapen('/recipients/0/proof'),
    ],
    ['a proof with a short hash', withEntry(changed({ proof: ['00'] })), invalid('proof')],
    ['an index too large for any list', withEntry(changed({ index: MAX_LEAVES })), misshapen('/recipients/0/index')],
    ['an amount of more than 64 bits', withEntry(changed({ amount: String(2n ** 64n) })), invalid('amount')],
  ])('with %s is refused, in whatever chunks', async (_, body, verdict) => {
    for (const cut of [[100_000], [1], [7, 64]]) expect(await read(bytes(body), cut)).toMatchObject(verdict);
  });

  it('names the place where JSON breaks, and nothing that stands there', async () => {
    const broken = plain.replace('},{', '},{"index":}x{');
    const refused = await readBody(Readable.from([Buffer.from(broken)]), { limitBytes: LIMIT, time: systemTime }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'invalid-json', extra: { pointer: '/recipients/1' } });
    expect((refused as Problem).message).toBe('The body is not JSON: it breaks at /recipients/1.');
  });

  it.each([
    [0, 'taken'],
    [1, 'invalid-json'],
  ])('may have an entry as long as a piece and %i bytes, which is %s', async (more, outcome) => {
    // An escape, so that it is read as any JSON.
    const entry = JSON.stringify(first).replace('"index"', '"\\u0069ndex"');
    const padded = `${entry.slice(0, -1)}${' '.repeat(PIECE_BYTES + more - entry.length)}}`;
    for (const cut of [[1_000_000], [PIECE_BYTES], [1_000], [17, 4_001]]) {
      const verdict = await read(bytes(withEntry(`${JSON.stringify({ ...first, index: 1 })},${padded}`)), cut);
      expect('code' in verdict ? verdict.code : 'taken').toBe(outcome);
    }
  });

  it('may have any space between entries, and no more than a piece beside the list', async () => {
    const far = plain.replace('},{', `},${' '.repeat(3 * PIECE_BYTES)}{`);
    const beside = plain.replace('{', `{${' '.repeat(PIECE_BYTES)}`);
    for (const cut of [[1_000_000], [999]]) {
      expect(await read(bytes(far), cut)).toHaveProperty('list');
      expect(await read(bytes(beside), cut)).toEqual({ code: 'invalid-json' });
    }
  });

  it('is refused above the limit to the byte, and not at it', async () => {
    const body = bytes(plain);
    for (const cut of [[1_000_000], [10]]) {
      expect(await read(body, cut, body.length)).toHaveProperty('list');
      expect(await read(body, cut, body.length - 1)).toMatchObject({ code: 'body-too-large' });
    }
  });

  it('takes the largest list there can be, and refuses one more', async () => {
    const recipient = randomAddress();
    const rest = `,"recipient":"${recipient}","amount":"18446744073709551615","salt":"${randomBytes(16).toString('hex')}"}`;
    const entries = Array.from({ length: MAX_LEAVES }, (_, index) => `{"index":${index}${rest}`).join(',');
    const chunks = (list: string) => chunksOf(bytes(`{"schedulePda":"${recipient}","recipients":[${list}]}`), [65_536]);
    const input = { limitBytes: 300_000_000, time: systemTime };
    const { list } = await readBody(Readable.from(chunks(entries)), input);
    expect(list.records.count).toBe(MAX_LEAVES);
    expect(list.total).toBe(BigInt(MAX_LEAVES) * (2n ** 64n - 1n));
    // An index that stands there twice, as one must: at the beginning, so that the others are counted and no more.
    await expect(readBody(Readable.from(chunks(`{"index":5${rest},${entries}`)), input)).rejects.toMatchObject({
      code: 'invalid-body',
      extra: { pointer: '/recipients' },
    });
  });

  it('lets the event loop turn while it is read', async () => {
    const body = bytes({ ...bodyOf(1), recipients: entriesOf(20_000) });
    // Turns, not milliseconds, and a clock that goes on by one at each look: the same on any machine.
    let looks = 0;
    const time = { ...systemTime, monotonic: () => looks++ };
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const input = { limitBytes: 100_000_000, time };
    const { list } = await readBody(Readable.from(chunksOf(body, [65_536])), input);
    const whileRead = turns;
    await MerkleTree.ofTerms(await list.records.terms());
    clearImmediate(next);
    expect(whileRead).toBeGreaterThanOrEqual(4);
    expect(turns - whileRead).toBeGreaterThanOrEqual(10);
  });

  it('that breaks off is told apart from what is wrong', async () => {
    const payload = new Readable({ read() {} });
    payload.push(bytes(plain).subarray(0, 50));
    const reading = readBody(payload, { limitBytes: LIMIT, time: systemTime });
    setTimeout(() => payload.destroy(new Error('aborted')), 10);
    await expect(reading).rejects.toMatchObject({ code: 'request-timeout' });
  });
});
