import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createSchedule,
  deposit,
  type OwnedBalance,
  openVault,
  readKey,
  readOrCreateKey,
  readPayrollFile,
  registerSchedule,
  writePayroll,
} from '@payouts/cli';
import {
  addressFromBytes,
  fetchMaybeSchedule,
  isOnCurve,
  type Ledgers,
  listFromRecipients,
  prepareList,
  type RecipientJson,
  type RecipientList,
  recipientsFromJson,
  recipientsToJson,
  ScheduleStatus,
  sendToBase,
} from '@payouts/client';
import { displayAmount } from '@payouts/payroll';
import { type Address, type KeyPairSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
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
  readonly recipient: { readonly recipient: KeyPairSigner; readonly balance: OwnedBalance };
}

/** The address of a key that nobody has: a random point of the curve. A key takes five times as long, and a payroll can have a million. */
function someAddress(): Address {
  for (;;) {
    const bytes = randomBytes(32);
    if (isOnCurve(bytes)) return addressFromBytes(bytes);
  }
}

/** Makes a payroll: fresh recipients, 1,000 to 5,000 tokens each; the first is the one whose key is kept. */
async function makePayroll(file: string, first: Address, recipients: number): Promise<void> {
  const others = Array.from({ length: recipients - 1 }, someAddress);
  const payees = [first, ...others].map((recipient, line) => ({
    recipient,
    amount: (1_000n + BigInt((line * 37) % 4_001)) * UNIT,
  }));
  await writePayroll(file, payees, SAMPLE_DECIMALS);
}

/** What a sample folder remembers beside its keys; written when all of it is on the ledger. */
interface Remembered {
  readonly schedule: Address;
  readonly recipients: RecipientJson[];
}

const REMEMBERED = 'schedule.json';
const KEYS = ['employer', 'mint', 'recipient'] as const;

type SampleInput = {
  readonly ledgers: Ledgers;
  readonly funder: KeyPairSigner;
  readonly apiUrl: string;
  readonly folder: string;
  readonly recipients: number;
  /** Seconds. */
  readonly interval: number;
  readonly say: (text: string) => void;
};

/**
 * Opens the sample employer: goes on with the one that the folder remembers, as long as its schedule is active, else makes a new
 * one: a token, a payroll CSV, a vault with funds and a schedule. The old one's folder is kept under another name.
 */
export async function openSample(input: SampleInput): Promise<Sample> {
  return (await rememberedSample(input)) ?? newSample(input);
}

async function rememberedSample({ ledgers, apiUrl, folder, say }: SampleInput): Promise<Sample | undefined> {
  const text = await readFile(join(folder, REMEMBERED), 'utf8').catch(ifMissing);
  if (text === undefined) return undefined;
  const { schedule, recipients } = JSON.parse(text) as Remembered;
  const found = await fetchMaybeSchedule(ledgers.base, schedule);
  if (!found.exists || found.data.status !== ScheduleStatus.Active) return undefined;
  const wait = Math.max(0, Number(found.data.nextExecution) - Math.floor(ledgers.time.now() / 1000));
  say(`Going on with the sample employer of an earlier start: window ${found.data.window} is due in ${wait} s.`);
  const list = listFromRecipients(recipientsFromJson(recipients));
  await registerSchedule(apiUrl, schedule, list);
  const recipient = await readKey(join(folder, 'recipient.json'));
  return sampleOf(
    { mint: found.data.mint, vault: found.data.vault, schedule, window: found.data.window },
    list,
    recipient,
  );
}

async function newSample({ ledgers, funder, apiUrl, folder, recipients, interval, say }: SampleInput): Promise<Sample> {
  await rename(folder, `${folder}-${ledgers.time.now()}`).catch(ifMissing);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [employer, mintKey, recipient] = (await Promise.all(
    KEYS.map((name) => readOrCreateKey(join(folder, `${name}.json`))),
  )) as [KeyPairSigner, KeyPairSigner, KeyPairSigner];
  const mint = mintKey.address;
  const payroll = join(folder, 'payroll.csv');
  await makePayroll(payroll, recipient.address, recipients);
  const { lines: payees } = await readPayrollFile(payroll, { decimals: SAMPLE_DECIMALS });
  const list = prepareList(payees);
  const total = displayAmount(list.total, SAMPLE_DECIMALS);
  say(`A sample employer pays ${payees.length} recipients ${total} tokens every ${interval} s (${payroll}).`);

  const promised = list.total * BigInt(EXECUTIONS);
  await sendToBase(
    ledgers,
    [getTransferSolInstruction({ source: funder, destination: employer.address, amount: EMPLOYER_LAMPORTS })],
    funder,
  );
  await createSampleToken(ledgers, { payer: funder, mint: mintKey, holder: employer.address, amount: promised });
  const vault = await openVault(ledgers, employer, mint);
  await deposit(ledgers, employer, mint, promised);
  const schedule = await createSchedule(ledgers, employer, mint, list, {
    id: 0n,
    calendar: { unit: 'seconds', every: interval, day: 0 },
    firstExecution: BigInt(Math.floor(ledgers.time.now() / 1000)),
    executions: EXECUTIONS,
    batchTimeout: BATCH_TIMEOUT_SECONDS,
    missed: 'skip',
  });
  const remembered: Remembered = { schedule, recipients: recipientsToJson(list.recipients) };
  await writeFile(join(folder, REMEMBERED), JSON.stringify(remembered), { mode: 0o600 });
  await registerSchedule(apiUrl, schedule, list);
  say(`  schedule ${schedule} is on the ledger and registered`);
  return sampleOf({ mint, vault, schedule, window: 0n }, list, recipient);
}

function sampleOf(
  found: Pick<Sample, 'mint' | 'vault' | 'schedule' | 'window'>,
  list: RecipientList,
  recipient: KeyPairSigner,
): Sample {
  const entry = list.recipients.find((each) => each.recipient === recipient.address);
  if (entry === undefined) throw new Error('The sample folder is not whole: start with --reset.');
  return { ...found, recipient: { recipient, balance: { ...entry, mint: found.mint } } };
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
