import { bareProofsToJson } from '@payouts/client';
import { loadPayloadKeys } from '../config/keys.ts';
import { connectBase } from '../ledger/rpc.ts';
import { liabilityProofs } from '../liabilities/proof.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/**
 * A proof file without salts: of an owner the balance and each withdrawal under way, of a schedule its open window. Addresses without a leaf are missing from it,
 * and make the exit code 1.
 */
export const liabilityProof = command({
  synopsis: '--balance ADDRESS [--balance ADDRESS …]',
  summary:
    'prints proofs of what private balances are owed by the recorded liabilities trees; private: for their recipients only',
  options: { balance: { type: 'string', multiple: true } },
  async run({ balance: named = [] }, operands, { time }) {
    const addresses = [...new Set(named)];
    if (addresses.length === 0 || operands.length > 0) throw new UsageError('It takes one --balance or more.');
    const found = await withDatabase(time, async (database, settings) => {
      const { signal } = new AbortController();
      const base = connectBase({ url: settings.baseRpcUrl, time, signal, isPatient: true });
      const payloadKeys = await loadPayloadKeys(settings, time);
      return liabilityProofs({ base, database, payloadKeys, program: settings.programAddress }, addresses);
    });
    const proofs = addresses.flatMap((address) => found.get(address) ?? []);
    if (proofs.length > 0) await print(JSON.stringify(bareProofsToJson(proofs), null, 2));
    const missing = addresses.length - found.size;
    if (missing > 0)
      console.error(`✖ The recorded liabilities trees have no leaf for ${missing} of ${addresses.length}.`);
    return missing === 0 ? 0 : 1;
  },
});
