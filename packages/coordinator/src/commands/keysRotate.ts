import { loadPayloadKeys } from '../config/keys.ts';
import { rotateKeys } from '../rotation/rotateKeys.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** Says how far it is whenever another tenth is done. */
function progress(): (done: number, of: number) => void {
  let said = 0;
  return (done, of) => {
    const tenths = of === 0 ? 0 : Math.floor((done * 10) / of);
    if (tenths <= said) return;
    said = tenths;
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
      const rotation = await rotateKeys({ database, payloadKeys, time, onProgress: progress() });
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
