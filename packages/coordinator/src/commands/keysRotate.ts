import { loadPayloadKeys } from '../config/keys.ts';
import { rotateKeys } from '../store/crypto/rotateKeys.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** The service may run meanwhile, if it was given the present key and the ones before it. */
export const keysRotate = command({
  synopsis: '[--json]',
  summary: 'wraps every data key with the present payload key that another one has wrapped',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes nothing; the keys are settings.');
    const { currentId, done } = await withDatabase(time, async (database, settings) => {
      const payloadKeys = await loadPayloadKeys(settings, time);
      return { currentId: payloadKeys.currentId, done: await rotateKeys(database, payloadKeys) };
    });
    const { lists, liabilityTrees, serviceKeys } = done;
    const unreadable = Object.fromEntries(done.unreadable);
    await show(json, { present: currentId, lists, liabilityTrees, serviceKeys, unreadable }, [
      `Wrapped with payload key ${currentId}: lists ${lists}, liabilities trees ${liabilityTrees}, service keys ${serviceKeys}.`,
    ]);
    for (const [keyId, count] of done.unreadable) {
      console.error(
        `✖ Payload key ${keyId} does not open ${count} data keys, or was not given: name it in PAYLOAD_KEYS_RETIRED.`,
      );
    }
    return done.unreadable.size === 0 ? 0 : 1;
  },
});
