import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { address } from '@solana/kit';
import { DELEGATION_PROGRAM, NOOP_PROGRAM, PERMISSION_PROGRAM, VALIDATOR_IDENTITY } from '../addresses.ts';
import { type ProgramToLoad, upgradeableProgram } from '../programs.ts';
import { type AccountRecord, type AccountState, closedAccount, fromRecord } from './account.ts';

/** Programs of the validator's package that delegation needs; the others there (VRF, its token program) are not used. */
const PROGRAMS = [DELEGATION_PROGRAM, PERMISSION_PROGRAM, NOOP_PROGRAM];

/** Accounts of that package: the delegation program's fee vaults (the protocol's and the validator's). */
const DUMPED_ACCOUNTS = [
  'EpJnX7ueXk7fKojBymqmVuCuwyhDQsYcLVL1XMsBbvDX',
  '7JrkjmZPprHwtuvtuGTXp9hwfGYFAQLnLeFM52kqAgXg',
];

/** The validator refuses to start with less than 5 SOL; it pays for every commit. 100 SOL, in lamports. */
const VALIDATOR_LAMPORTS = 100_000_000_000n;

interface AccountDump {
  readonly pubkey: string;
  readonly account: { readonly lamports: number; readonly data: readonly [string, string]; readonly owner: string };
}

/** What the execution layer needs on the base ledger, and the user's programs, before any transaction. */
export async function genesisAccounts(programs: readonly ProgramToLoad[]): Promise<AccountState[]> {
  const require = createRequire(import.meta.url);
  const dumps = join(
    dirname(require.resolve('@magicblock-labs/ephemeral-validator/package.json')),
    'bin',
    'local-dumps',
  );
  const published = PROGRAMS.map((program) => ({ address: program, path: join(dumps, `${program}.so`) }));
  const programAccounts = await Promise.all([...published, ...programs].map(upgradeableProgram));
  return [
    { ...closedAccount(VALIDATOR_IDENTITY), lamports: VALIDATOR_LAMPORTS },
    ...DUMPED_ACCOUNTS.map((name) => readDump(join(dumps, `${name}.json`))),
    ...readFeeVaults(),
    ...programAccounts.flat(),
  ];
}

function readDump(path: string): AccountState {
  const dump = JSON.parse(readFileSync(path, 'utf8')) as AccountDump;
  return {
    address: address(dump.pubkey),
    lamports: BigInt(dump.account.lamports),
    owner: address(dump.account.owner),
    data: Buffer.from(dump.account.data[0], 'base64'),
    executable: false,
  };
}

/**
 * The magic fee vault of the validator's identity, its delegation record and its metadata. The validator insists on them,
 * and the published delegation program can't create them.
 */
function readFeeVaults(): AccountState[] {
  const path = fileURLToPath(new URL('../../assets/fee-vault-accounts.json', import.meta.url));
  const records = JSON.parse(readFileSync(path, 'utf8')) as Omit<AccountRecord, 'executable'>[];
  return records.map((record) => fromRecord({ ...record, executable: false }));
}
