import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  deriveBalanceAddress,
  deriveSalt,
  fetchMaybeSchedule,
  findVaultAddress,
  type Ledgers,
  listFromRecipients,
  prepareList,
  recipientsFromJson,
  recipientsToJson,
  ScheduleStatus,
  sendToBase,
} from '@payouts/client';
import { type Address, generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { createSchedule, deposit, openVault, registerSchedule } from './employer.ts';
import { readOrCreateKey } from './keys.ts';
import { displayAmount, readPayroll, writePayroll } from './payroll.ts';
import { createSampleToken, SAMPLE_DECIMALS } from './sampleToken.ts';

/** Windows that the sample employer promises: a day of minutes. */
const EXECUTIONS = 1_440;
const BATCH_TIMEOUT_SECONDS = 30;
const EMPLOYER_LAMPORTS = lamports(20_000_000_000n);
const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);

/** The sample employer's schedule, and one recipient whose key is at hand. */
export interface Sample {
  readonly mint: Address;
  readonly vault: Address;
  readonly schedule: Address;
  /** The next window. */
  readonly window: bigint;
  readonly recipient: { readonly recipient: KeyPairSigner; readonly balance: Address };
}

/** Makes a payroll: fresh recipients, 1,000 to 5,000 tokens each; the first is the one whose key is kept. */
async function makePayroll(file: string, first: Address, recipients: number): Promise<void> {
  const others = await Promise.all(Array.from({ length: recipients - 1 }, () => generateKeyPairSigner()));
  const payees = [first, ...others.map(({ address }) => address)].map((recipient, line) => ({
    recipient,
    amount: (1_000n + BigInt((line * 37) % 4_001)) * UNIT,
  }));
  await writePayroll(file, payees, SAMPLE_DECIMALS);
}

/** The employer's salt secret: from it each recipient has the same salt, and so the same balance, in every list. */
async function readOrCreateSecret(file: string): Promise<Uint8Array> {
  const found = await readFile(file).catch(() => undefined);
  if (found !== undefined) return new Uint8Array(found);
  const secret = new Uint8Array(randomBytes(32));
  await writeFile(file, secret, { mode: 0o600 });
  return secret;
}

/**
 * Opens the sample employer: on the first start a token, a payroll CSV, a vault with funds and a schedule; later starts go on
 * with what the folder remembers.
 */
export async function openSample(input: {
  readonly ledgers: Ledgers;
  readonly funder: KeyPairSigner;
  readonly apiUrl: string;
  readonly folder: string;
  readonly recipients: number;
  readonly interval: number;
  readonly say: (text: string) => void;
}): Promise<Sample> {
  const { ledgers, funder, folder, say } = input;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [employer, mint, recipient] = (await Promise.all(
    ['employer', 'mint', 'recipient'].map((name) => readOrCreateKey(join(folder, `${name}.json`))),
  )) as [KeyPairSigner, KeyPairSigner, KeyPairSigner];
  const vault = await findVaultAddress(employer.address, mint.address);
  const remembered = join(folder, 'schedule.json');

  const before = await readFile(remembered, 'utf8').then(
    (text) => JSON.parse(text) as { schedule: Address; recipients: unknown },
    () => undefined,
  );
  if (before !== undefined) {
    const found = await fetchMaybeSchedule(ledgers.base, before.schedule);
    if (found.exists && found.data.status === ScheduleStatus.Active) {
      const wait = Math.max(0, Number(found.data.nextExecution) - Math.floor(Date.now() / 1000));
      say(`Going on with the sample employer of an earlier start: window ${found.data.window} is due in ${wait} s.`);
      const list = listFromRecipients(recipientsFromJson(before.recipients));
      await registerSchedule(input.apiUrl, before.schedule, list);
      const entry = list.recipients.find((each) => each.recipient === recipient.address);
      if (entry === undefined) throw new Error('The sample folder is not whole: start with --reset.');
      const balance = deriveBalanceAddress(mint.address, {
        recipient: recipient.address,
        salt: entry.salt,
      }).address;
      return {
        mint: mint.address,
        vault,
        schedule: before.schedule,
        window: found.data.window,
        recipient: { recipient, balance },
      };
    }
  }

  const payroll = join(folder, 'payroll.csv');
  await makePayroll(payroll, recipient.address, input.recipients);
  const payees = await readPayroll(payroll, SAMPLE_DECIMALS);
  const secret = await readOrCreateSecret(join(folder, 'salt-secret'));
  const list = prepareList(payees, { saltFor: (each) => deriveSalt(secret, mint.address, each) });
  say(
    `A sample employer pays ${payees.length} recipients ${displayAmount(list.total, SAMPLE_DECIMALS)} tokens every ${input.interval} s (${payroll}).`,
  );

  const promised = list.total * BigInt(EXECUTIONS);
  await sendToBase(
    ledgers,
    [getTransferSolInstruction({ source: funder, destination: employer.address, amount: EMPLOYER_LAMPORTS })],
    funder,
  );
  await createSampleToken(ledgers, { payer: funder, mint, holder: employer.address, amount: promised });
  await openVault(ledgers, employer, mint.address);
  await deposit(ledgers, employer, mint.address, promised);
  const schedule = await createSchedule(ledgers, employer, mint.address, list, {
    id: 0n,
    interval: BigInt(input.interval),
    firstExecution: BigInt(Math.floor(Date.now() / 1000)),
    executions: EXECUTIONS,
    batchTimeout: BATCH_TIMEOUT_SECONDS,
    missed: 'skip',
  });
  await writeFile(remembered, JSON.stringify({ schedule, recipients: recipientsToJson(list.recipients) }), {
    mode: 0o600,
  });
  await registerSchedule(input.apiUrl, schedule, list);
  say(`  schedule ${schedule} is on the ledger and registered`);

  const entry = list.recipients.find((each) => each.recipient === recipient.address);
  if (entry === undefined) throw new Error('unreachable: the payroll begins with this recipient');
  const balance = deriveBalanceAddress(mint.address, { recipient: recipient.address, salt: entry.salt }).address;
  return { mint: mint.address, vault, schedule, window: 0n, recipient: { recipient, balance } };
}
