import type { Random } from '@payouts/testing/random';

const PHASE = 3;
const RECIPIENTS = 4;
const SCHEDULE = 8;
const WINDOW = 104;
const PAID_COUNT = 124;
const AMOUNT = 128;
const PAID_AMOUNT = 136;
const HELD = 192;
const CLOSED = 2;

interface Batch {
  readonly data: Uint8Array;
  readonly view: DataView;
  readonly amount: bigint;
  readonly recipients: number;
}

const LIES: readonly ((batch: Batch, random: Random) => void)[] = [
  ({ view, amount }, random) => view.setBigUint64(PAID_AMOUNT, random.amount(amount), true),
  ({ view, amount }, random) => view.setBigUint64(PAID_AMOUNT, amount + random.amount(1_000n), true),
  ({ view, recipients }, random) => view.setUint32(PAID_COUNT, random.below(recipients + 2), true),
  ({ view, amount, recipients }) => {
    view.setUint32(PAID_COUNT, recipients, true);
    view.setBigUint64(PAID_AMOUNT, amount, true);
  },
  ({ view }, random) => view.setBigUint64(WINDOW, view.getBigUint64(WINDOW, true) + random.amount(2n) - 1n, true),
  ({ view, amount }) => view.setBigUint64(AMOUNT, amount * 2n, true),
  ({ data }, random) => data.set(random.bytes(32), SCHEDULE),
  ({ data }, random) => {
    data[PHASE] = random.below(4);
  },
  ({ data }, random) => {
    data[random.below(data.length)] = random.below(256);
  },
  ({ data }, random) => data.fill(random.below(256), HELD),
];

/** A batch as a lying layer would return it: like a settled one, but for what would bring money, or garbage. */
export function lieAbout(batch: Uint8Array, random: Random): Uint8Array {
  const data = batch.slice();
  const view = new DataView(data.buffer);
  if (random.chance(0.8)) data[PHASE] = CLOSED;
  for (let lies = random.between(1, 3); lies > 0; lies -= 1) {
    const [amount, recipients] = [view.getBigUint64(AMOUNT, true), view.getUint32(RECIPIENTS, true)];
    random.pick(LIES)({ data, view, amount, recipients }, random);
  }
  if (random.chance(0.05)) return data.slice(0, random.below(data.length + 1));
  if (random.chance(0.05)) return new Uint8Array([...data, ...random.bytes(random.below(100))]);
  return data;
}
