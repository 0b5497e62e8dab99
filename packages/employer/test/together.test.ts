import {
  type Calendar,
  type Converted,
  convertedAmount,
  createScheduleInstructions,
  prepareList,
} from '@payouts/client';
import {
  changedTogether,
  convertedIn,
  convertedLines,
  Failure,
  listFrom,
  listText,
  promiseTogether,
  proposalSteps,
  type Treasury,
} from '@payouts/employer';
import {
  type Address,
  createNoopSigner,
  generateKeyPairSigner,
  type KeyPairSigner,
  type TransactionSigner,
} from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';

let employer: TransactionSigner;
let mints: Address[];
let treasury: Treasury;
let people: Address[];

beforeAll(async () => {
  const signers = await Promise.all(Array.from({ length: 14 }, generateKeyPairSigner));
  const [own, multisig, ...rest] = signers as [KeyPairSigner, KeyPairSigner, ...KeyPairSigner[]];
  employer = own;
  mints = rest.slice(0, 4).map(({ address }) => address);
  people = rest.slice(4).map(({ address }) => address);
  const members = [{ key: own.address, permissions: 7 }];
  const state = { threshold: 2, transactionIndex: 5n, members } as unknown as Treasury['state'];
  treasury = { multisig: multisig.address, vaultIndex: 0, employer: people[0] as Address, state };
});

const calendarOf = (dates: number): Calendar =>
  dates === 0
    ? { unit: 'days', every: 1 }
    : {
        unit: 'dates',
        every: 0,
        dates: Array.from({ length: dates }, (_, at) => 1_800_000_000n + BigInt(at) * 86_400n),
      };

/** What promises a list in each of so many tokens, paid on so many dates; none: by a rule. */
function promises(tokens: number, dates: number, by: TransactionSigner) {
  const list = prepareList([{ recipient: people[1] as Address, amount: 5n }]);
  return mints.slice(0, tokens).map((mint) => {
    const terms = { calendar: calendarOf(dates), firstExecution: 1_800_000_000n, executions: dates || 12 };
    const made = () =>
      createScheduleInstructions({ ...terms, employer: by, mint, id: 7n, list, batchTimeout: 3_600, maxFees: 9n });
    return [{ instructionsFor: made }, list, []] as const;
  });
}

/** How many tokens can be promised at once. */
async function most(fits: (tokens: number) => Promise<unknown>): Promise<number> {
  for (let tokens = 1; tokens <= mints.length; tokens++) {
    const error: unknown = await fits(tokens).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) continue;
    expect(error).toBeInstanceOf(Failure);
    expect((error as Failure).code).toBe('transaction-too-large');
    return tokens - 1;
  }
  return mints.length;
}

it('promises as many tokens at once as the documents say, and refuses more', async () => {
  const limits: number[][] = [];
  for (const dates of [0, 12, 24, 52]) {
    const own = await most((tokens) => promiseTogether({ employer }, promises(tokens, dates, employer)));
    const noKey = createNoopSigner(treasury.employer);
    const proposed = await most(async (tokens) =>
      proposalSteps(treasury, employer, await promiseTogether({ employer: noKey }, promises(tokens, dates, noKey))),
    );
    limits.push([dates, own, proposed]);
  }
  expect(limits).toEqual([
    [0, 3, 2],
    [12, 2, 2],
    [24, 2, 1],
    [52, 1, 1],
  ]);
});

it('makes one transaction of several changes, and leaves one as it is', () => {
  const change = (name: string) => ({
    effects: [name],
    plan: { name },
    steps: [[[{ programAddress: people[2] as Address, data: new TextEncoder().encode(name) }]]],
    done: 'Paused.',
    result: { schedule: name },
  });
  const one = change('one');
  expect(changedTogether(employer, [one])).toBe(one);
  const both = changedTogether(employer, [one, change('two')]);
  expect(both).toMatchObject({
    effects: ['one', 'two'],
    done: 'Paused.',
    plan: { changes: [{ name: 'one' }, { name: 'two' }] },
  });
  expect(both.steps).toEqual([[[...one.steps.flat(2), ...change('two').steps.flat(2)]]]);
  const many = Array.from({ length: 40 }, (_, at) => change(`${at}`.padEnd(40)));
  expect(() => changedTogether(employer, many)).toThrow(Failure);
});

it('finds each converted amount again in the list that was made of the lines, and in the employer’s copy of it', () => {
  const line = fc.record({
    person: fc.nat(7),
    cents: fc.integer({ min: 1, max: 500 }),
    currency: fc.constantFrom('', 'EUR', 'GBP'),
  });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (wanted) => {
      const lines = wanted.map(({ person, cents, currency }) => {
        const recipient = people[person] as Address;
        if (currency === '') return { recipient, amount: BigInt(cents) * 10_000n };
        const converted: Converted = { currency, amount: (cents / 100).toFixed(2), rate: '1.0834' };
        return { recipient, amount: convertedAmount(converted.amount, converted.rate, 6) as bigint, converted };
      });
      const list = prepareList(lines);
      const converted = convertedIn(list, lines);
      const copy = listFrom(listText(people[0] as Address, { ...list, names: new Map(), converted }), 'copy.json');
      expect(copy.converted).toEqual(converted);
      const found = convertedLines({ ...copy, list: copy, present: undefined }, 6);
      const told = (some: readonly { recipient: Address; amount: bigint; converted?: Converted }[]) =>
        some
          .flatMap((each) =>
            each.converted ? [`${each.recipient} ${each.amount} ${JSON.stringify(each.converted)}`] : [],
          )
          .sort();
      expect(told(found)).toEqual(told(lines));
    }),
  );
});

it('takes from a proposal no currency that does not give what its list pays', () => {
  const list = prepareList([{ recipient: people[1] as Address, amount: 1_083_400n }]);
  const linesWith =
    (converted: Converted, index = 0) =>
    () =>
      convertedLines({ list, present: undefined, names: new Map(), converted: new Map([[index, converted]]) }, 6);
  const right = { currency: 'EUR', amount: '1', rate: '1.0834' };
  expect(linesWith(right)()).toHaveLength(1);
  expect(linesWith({ ...right, amount: '2' })).toThrow(Failure);
  expect(linesWith({ ...right, rate: '1.08' })).toThrow(Failure);
  expect(linesWith(right, 1)).toThrow(Failure);
});
