import { parseArgs } from 'node:util';
import { owedProofToJson } from '@payouts/client';
import { loadPayloadKeys } from './config/keys.ts';
import { readSettings, SettingsError } from './config/settings.ts';
import { RunError } from './domain/errors.ts';
import { connectBase } from './ledger/rpc.ts';
import { owedProofs } from './owed/proof.ts';
import { DecryptionFailed } from './store/cipher.ts';
import { migrate } from './store/migrate.ts';
import { openDatabase } from './store/openDatabase.ts';
import { WrongPayloadKey } from './store/payloadKeys.ts';
import { DatabaseInUse } from './store/processLock.ts';

const USAGE = 'Usage: coordinator [owed-proof --balance ADDRESS [--balance ADDRESS …]]';

/** Errors whose message says to an operator what to mend. */
const KNOWN = [SettingsError, RunError, DatabaseInUse, WrongPayloadKey, DecryptionFailed];

/** Runs an operator's command and returns the exit code. What it prints on standard output is private: it is meant for its recipient. */
export async function runCommand(command: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...command],
      allowPositionals: true,
      options: { balance: { type: 'string', multiple: true } },
    });
    if (positionals.join() !== 'owed-proof' || values.balance === undefined) throw new SettingsError(USAGE);
    return await printOwedProofs(values.balance);
  } catch (error) {
    const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true;
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    console.error(isUsage ? USAGE : isKnown ? `✖ ${(error as Error).message}` : error);
    return 1;
  }
}

/** Writes a line to standard output and waits until all of it is there: the process ends soon after. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** One object for one address, a list for several; addresses without a leaf are missing from it, and make the exit code 1. */
async function printOwedProofs(addresses: readonly string[]): Promise<number> {
  const settings = readSettings(process.env);
  const { query, close } = await openDatabase({ ...settings, onError: () => {} });
  try {
    await migrate(query);
    const input = {
      base: connectBase({ url: settings.baseRpcUrl, signal: new AbortController().signal }),
      database: query,
      payloadKeys: loadPayloadKeys(settings),
      program: settings.programAddress,
    };
    const found = await owedProofs(input, addresses);
    const proofs = addresses.flatMap((address) => {
      const proof = found.get(address);
      return proof === undefined ? [] : [{ address, ...owedProofToJson(proof) }];
    });
    if (proofs.length > 0) await print(JSON.stringify(addresses.length === 1 ? proofs[0] : proofs, null, 2));
    const missing = addresses.length - proofs.length;
    if (missing > 0) console.error(`✖ The recorded owed trees have no leaf for ${missing} of ${addresses.length}.`);
    return missing === 0 ? 0 : 1;
  } finally {
    await close();
  }
}
