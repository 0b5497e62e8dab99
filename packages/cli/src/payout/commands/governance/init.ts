import {
  fetchMaybeConfig,
  findConfigAddress,
  findProgramDataAddress,
  getInitConfigInstructionAsync,
  MAX_CLAIMS_PER_TRANSACTION,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '@payouts/client';
import { type Address, type Base64EncodedDataResponse, getAddressDecoder, getBase64Encoder } from '@solana/kit';
import type { Command } from 'commander';
import { durationOf } from '../../duration.ts';
import { Failure } from '../../failure.ts';
import { carryOut, openLedger } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { wrapped } from '../../output.ts';
import { configLines, NOTHING_PENDING } from './configText.ts';
import { changing, type GovernanceOptions, type TermOptions, termsOf, withTerms } from './parts.ts';

/** Terms that suit salaries. Governance may change them at any time. */
const DEFAULTS = {
  maxRecipients: 1_048_576,
  minInterval: 3_600,
  minBatchTimeout: 60,
  maxBatchTimeout: 86_400,
  maxClaims: MAX_CLAIMS_PER_TRANSACTION,
  windowFee: 0,
  recipientFee: 0,
  openingFee: 0,
  flags: 0,
} as const;
/** Upgrade authority in a program data account: u32 kind, slot u64, option u8, address. */
const HAS_AUTHORITY_AT = 12;
const AUTHORITY_AT = 13;

type InitOptions = GovernanceOptions &
  TermOptions & {
    readonly executionAuthority: Address;
    readonly validator: Address;
    readonly guardian: Address;
    readonly governance?: Address;
    readonly lossGrace: string;
  };

/** payout governance init */
export function addInit(governance: Command): void {
  withTerms(changing(governance.command('init')), { isNew: true })
    .description("Create the deployed program's config, once; signed by its upgrade authority")
    .requiredOption('--execution-authority <address>', "the coordinator's key", addressOption)
    .requiredOption('--guardian <address>', 'the second key, to declare the layer lost', addressOption)
    .option('--governance <address>', 'who governs (default: the key that signs)', addressOption)
    .option('--loss-grace <duration>', 'from declaring the layer lost until it is', '7d')
    .action(init);
}

async function init(options: InitOptions): Promise<void> {
  const session = await openLedger(options);
  const { signer: upgradeAuthority, ledgers } = session;
  const address = await findConfigAddress();
  if ((await fetchMaybeConfig(ledgers.base, address)).exists) {
    throw new Failure('config-exists', 'The program has its config already: see payout governance show.');
  }
  const programData = await findProgramDataAddress(PAYOUT_LEDGER_PROGRAM_ADDRESS);
  const { value: deployed } = await ledgers.base.getAccountInfo(programData, { encoding: 'base64' }).send();
  if (deployed === null) {
    throw new Failure(
      'program-missing',
      `The ledger program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} is not deployed on this ledger. Is --rpc the right one?`,
    );
  }
  const owner = upgradeAuthorityOf(deployed.data);
  if (owner !== upgradeAuthority.address) {
    throw new Failure(
      'not-upgrade-authority',
      owner === undefined
        ? 'The program has no upgrade authority any more, so nobody can create its config.'
        : `Only the program's upgrade authority may, whose key is ${owner}; yours is ${upgradeAuthority.address}.`,
    );
  }
  const { flags, ...limits } = termsOf(options, DEFAULTS);
  const roles = {
    governance: options.governance ?? upgradeAuthority.address,
    guardian: options.guardian,
    executionAuthority: options.executionAuthority,
    validator: options.validator,
  };
  if (roles.guardian === roles.governance) {
    throw new Failure('guardian-same', 'Guardian and governance must be two keys, best of two people.');
  }
  const lossGrace = durationOf(options.lossGrace, '--loss-grace');
  const future = { ...roles, ...limits, flags, lossGrace, ...NOTHING_PENDING };
  const input = { upgradeAuthority, programData, ...roles, limits, flags, lossGrace };
  await carryOut(session, options, {
    what: [
      ...wrapped(`Creates the config of the program ${PAYOUT_LEDGER_PROGRAM_ADDRESS}.`),
      ...configLines(future).map((line) => `  ${line}`),
    ],
    plan: future,
    instruction: await getInitConfigInstructionAsync(input),
    done: `Created: ${address}`,
    result: { config: address },
  });
}

function upgradeAuthorityOf([data]: Base64EncodedDataResponse): Address | undefined {
  const bytes = getBase64Encoder().encode(data);
  if (bytes[HAS_AUTHORITY_AT] !== 1) return undefined;
  return getAddressDecoder().decode(bytes, AUTHORITY_AT);
}
