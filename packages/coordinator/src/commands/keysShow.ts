import { loadPayloadKeys } from '../config/keys.ts';
import { countKeyUse } from '../store/queries/dataKeys.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** The names say nothing about the keys. */
export const keysShow = command({
  synopsis: '[--json]',
  summary: 'shows which payload keys have wrapped how many data keys',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes nothing.');
    const { currentId, uses } = await withDatabase(time, async (database, settings) => ({
      currentId: (await loadPayloadKeys(settings, time)).currentId,
      uses: await countKeyUse(database),
    }));
    const isUsed = uses.some(({ keyId }) => keyId === currentId);
    const shown = isUsed ? uses : [{ keyId: currentId, lists: 0, liabilityTrees: 0, serviceKeys: 0 }, ...uses];
    if (json) {
      await print(JSON.stringify({ present: currentId, keys: shown }, null, 2));
      return 0;
    }
    for (const { keyId, lists, liabilityTrees, serviceKeys } of shown) {
      const note = keyId === currentId ? '  (present)' : '';
      await print(`${keyId}  lists ${lists}  liabilities trees ${liabilityTrees}  service keys ${serviceKeys}${note}`);
    }
    return 0;
  },
});
