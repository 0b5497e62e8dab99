import type { Payee } from '@payouts/client';
import { Random } from '@payouts/testing/random';
import { seed } from '@payouts/testing/seed';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';

const UNIT = 1_000_000n;
/** What many are paid alike, in whole tokens: of three to five digits. */
const SCALE = [800n, 2_000n, 2_400n, 3_000n, 12_000n];
/** Amounts that one person alone is paid, and some that nobody is. */
const INDIVIDUAL = 5;
const UNPAID = 2;
/** The place in each list of somebody who takes all of a window at once; in the first, somebody whose pay is nobody else's. */
export const CARELESS = 3;
/** Addresses that nobody pays. */
const DECOYS = 30;
/** Of each list, in order: who has the money sent to their own wallet. */
const DELIVERED = 3;

/** An employer of the world: which token, and how many people. */
export type Plan = { readonly token: number; readonly people: number };
/** Three share a token; the fourth is alone with one. */
export const PLANS: readonly Plan[] = [
  { token: 0, people: 8 },
  { token: 0, people: 7 },
  { token: 0, people: 6 },
  { token: 1, people: 8 },
];
/** Whose places are taken by somebody of another list: employer, place, and the same of whom. */
const SHARED = [
  [1, 6, 0, 6],
  [2, 5, 1, 5],
  [3, 6, 0, 5],
  [3, 7, 0, 4],
] as const;

/** Somebody who is paid: what a list says of them, their key, and the address of their line. */
export type Person = { readonly payee: Payee; readonly signer: KeyPairSigner; readonly peer: string };
export type People = {
  /** By employer. */
  readonly lists: readonly (readonly Person[])[];
  /** Who comes into the first list later. */
  readonly joiner: Person;
  readonly addresses: readonly string[];
  readonly salaries: readonly bigint[];
};

/** Decides all that the world draws, but for the keys. */
export const random = new Random(seed);
/** Where somebody who is paid connects from, and where an employer does. */
const lineOf = (number: number): string => `127.1.0.${number + 1}`;
export const employersLine = (number: number): string => `127.2.0.${number + 1}`;
const odd = (): bigint => (1_000_000_000n + random.amount(8_000_000_000n)) * 2n + 1n;

export function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => [random.u32(), item] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Draws everybody: keys, salaries, and who works for two. */
export async function drawPeople(): Promise<People> {
  const scale = SCALE.map((amount) => amount * UNIT);
  const individual = Array.from({ length: INDIVIDUAL }, odd);
  const free = [...individual];
  const lists: Person[][] = [];
  let lines = 0;
  const person = async (delivery: Payee['delivery'] = 'balance', known?: Person): Promise<Person> => {
    const signer = known?.signer ?? (await generateKeyPairSigner());
    const peer = known?.peer ?? lineOf(lines++);
    const isAlone = lists.length === 0 && lines === CARELESS + 1;
    const amount = isAlone || random.below(4) === 0 ? (free.pop() ?? random.pick(scale)) : random.pick(scale);
    return { payee: { recipient: signer.address, amount, delivery }, signer, peer };
  };
  for (const [employer, { people }] of PLANS.entries()) {
    const list: Person[] = [];
    for (let place = 0; place < people; place++) {
      const [, , from = 0, at = 0] = SHARED.find(([of, here]) => of === employer && here === place) ?? [];
      const isShared = SHARED.some(([of, here]) => of === employer && here === place);
      const known = isShared ? lists[from]?.[at] : undefined;
      list.push(await person(place < DELIVERED ? 'wallet' : 'balance', known));
    }
    lists.push(list);
  }
  const joiner = await person();
  const decoys = await Promise.all(Array.from({ length: DECOYS }, () => generateKeyPairSigner()));
  const everybody = [...lists.flat(), joiner].map(({ signer }) => signer.address);
  return {
    lists,
    joiner,
    addresses: shuffled([...new Set(everybody), ...decoys.map(({ address }) => address)]),
    salaries: shuffled([...scale, ...individual, ...Array.from({ length: UNPAID }, odd)]),
  };
}
