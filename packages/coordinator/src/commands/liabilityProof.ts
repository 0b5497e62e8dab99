import { liabilityProofToJson } from '@payouts/client';
import { loadPayloadKeys } from '../config/keys.ts';
import { connectBase } from '../ledger/rpc.ts';
import { liabilityProofs } from '../liabilities/proof.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

/** One object for one address, a list for several; addresses without a leaf are missing from it, and make the exit code 1. */
export const liabilityProof = command({
  synopsis: '--balance ADDRESS [--balance ADDRESS …]',
  summary:
    'prints proofs of what private balances are owed by the recorded liabilities trees; private: for their recipients only',
  options: { balance: { type: 'string', multiple: true } },
  async run({ balance: addresses = [] }, operands, { time }) {
    if (addresses.length === 0 || operands.length > 0) throw new UsageError('It takes one --balance or more.');
    const found = await withDatabase(time, async (database, settings) => {
      const base = connectBase({ url: settings.baseRpcUrl, time, signal: new AbortController().signal });
      const payloadKeys = await loadPayloadKeys(settings, time);
      return liabilityProofs({ base, database, payloadKeys, program: settings.programAddress }, addresses);
    });
    const proofs = addresses.flatMap((address) => {
      const proof = found.get(address);
      return proof === undefined ? [] : [{ address, ...liabilityProofToJson(proof) }];
    });
    if (proofs.length > 0) await print(JSON.stringify(addresses.length === 1 ? proofs[0] : proofs, null, 2));
    const missing = addresses.length - proofs.length;
    if (missing > 0)
      console.error(`✖ The recorded liabilities trees have no leaf for ${missing} of ${addresses.length}.`);
    return missing === 0 ? 0 : 1;
  },
});
