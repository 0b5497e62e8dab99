import type { Time } from '@payouts/client';
import { loadPayloadKeys } from '../config/keys.ts';
import { rotateKeys } from '../rotation/rotateKeys.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Milliseconds between two words about how far a rotation is. */
const SAID_EVERY_MS = 2_000;

function progress(time: Pick<Time, 'monotonic'>): (done: number, of: number) => void {
  let saidAt = time.monotonic();
  return (done, of) => {
    if (time.monotonic() - saidAt < SAID_EVERY_MS) return;
    saidAt = time.monotonic();
    console.error(`${done} of ${of} data keys renewed`);
  };
}

/** The service may run meanwhile, if it was given the present key and the ones before it. */
export const keysRotate = command({
  synopsis: '[--json]',
  summary: 'encrypts everything anew, with new data keys, that the present payload key has not wrapped',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes nothing; the keys are settings.');
    const { currentId, done } = await withDatabase(time, async (database, settings) => {
      const payloadKeys = await loadPayloadKeys(settings, time);
      const rotation = await rotateKeys({ database, payloadKeys, time, onProgress: progress(time) });
      return { currentId: payloadKeys.currentId, done: rotation };
    });
    const { lists, liabilityTrees, serviceKeys } = done;
    const unreadable = Object.fromEntries(done.unreadable);
    await show(json, { present: currentId, lists, liabilityTrees, serviceKeys, unreadable }, [
      `Renewed under payload key ${currentId}: lists ${lists}, liabilities trees ${liabilityTrees}, service keys ${serviceKeys}.`,
    ]);
    for (const [keyId, count] of done.unreadable) {
      console.error(
        `✖ Payload key ${keyId} does not open ${count} data keys, or was not given: name it in PAYLOAD_KEYS_RETIRED.`,
      );
    }
    return done.unreadable.size === 0 ? 0 : 1;
  },
});
