import { loadPayloadKeys } from '../config/keys.ts';
import { countKeyUse } from '../store/queries/dataKeys.ts';
import { command, show, UsageError } from './command.ts';
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
    const lines = shown.map(({ keyId, lists, liabilityTrees, serviceKeys }) => {
      const note = keyId === currentId ? '  (present)' : '';
      return `${keyId}  lists ${lists}  liabilities trees ${liabilityTrees}  service keys ${serviceKeys}${note}`;
    });
    await show(json, { present: currentId, keys: shown }, lines);
    return 0;
  },
});
