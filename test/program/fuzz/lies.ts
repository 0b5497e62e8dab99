import type { Random } from '@payouts/testing/random';

const PHASE = 3;
const RECIPIENTS = 4;
const SCHEDULE = 8;
const WINDOW = 104;
const PAID_COUNT = 124;
const AMOUNT = 128;
const PAID_AMOUNT = 136;
const BITMAP = 192;
const CLOSED = 2;

/** A batch as a lying layer would return it: like a settled one, but for what would bring money, or garbage. */
export function lieAbout(batch: Uint8Array, random: Random): Uint8Array {
  const data = batch.slice();
  const view = new DataView(data.buffer);
  if (random.chance(0.8)) data[PHASE] = CLOSED;
  for (let lies = random.between(1, 3); lies > 0; lies -= 1) lie(data, view, random);
  if (random.chance(0.05)) return data.slice(0, random.below(data.length + 1));
  if (random.chance(0.05)) return new Uint8Array([...data, ...random.bytes(random.below(100))]);
  return data;
}

function lie(data: Uint8Array, view: DataView, random: Random): void {
  const amount = view.getBigUint64(AMOUNT, true);
  switch (random.below(10)) {
    case 0:
      view.setBigUint64(PAID_AMOUNT, random.amount(amount), true);
      break;
    case 1:
      view.setBigUint64(PAID_AMOUNT, amount + random.amount(1_000n), true);
      break;
    case 2:
      view.setUint32(PAID_COUNT, random.below(view.getUint32(RECIPIENTS, true) + 2), true);
      break;
    case 3:
      view.setUint32(PAID_COUNT, view.getUint32(RECIPIENTS, true), true);
      view.setBigUint64(PAID_AMOUNT, amount, true);
      break;
    case 4:
      view.setBigUint64(WINDOW, view.getBigUint64(WINDOW, true) + random.amount(2n) - 1n, true);
      break;
    case 5:
      view.setBigUint64(AMOUNT, amount * 2n, true);
      break;
    case 6:
      data.set(random.bytes(32), SCHEDULE);
      break;
    case 7:
      data[PHASE] = random.below(4);
      break;
    case 8:
      data[random.below(data.length)] = random.below(256);
      break;
    default:
      data.fill(random.below(256), BITMAP);
  }
}
