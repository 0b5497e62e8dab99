// One payroll of a million, run for real: registered, paid to people who are new, paid again, and one in a hundred takes their money out.
import { balancePages, slotsOf } from '@payouts/cli';
import {
  actFor,
  addressFromBytes,
  addressToBytes,
  fetchConfig,
  findConfigAddress,
  getBalancePageDecoder,
  openPersonalInstruction,
  ownerRecord,
  personalKey,
  personalNamed,
  type Recipient,
  recipientsToJson,
  requestWithdrawalInstructions,
  sendToBase,
  sendToLayer,
} from '@payouts/client';
import { fillSponsorInstruction } from '@payouts/employer';
import { metricIn } from '@payouts/testing/metrics';
import type { Postgres } from '@payouts/testing/services';
import { type Employer, until, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { comeDue } from '../parts/due.ts';
import { somePayees } from '../parts/payees.ts';
import { postList } from '../parts/postList.ts';
import { onLedgers, onPostgres } from '../parts/servers.ts';
import { SERVICE_DEFAULTS } from '../parts/settings.ts';
import { peakMemory, residentMemory, untilIdle } from '../processes.ts';
import { judged, type Measure, type Row } from '../row.ts';

const INTERVAL = 86_400;
const LOOK_MS = 250;
const LONGEST_MS = 1_800_000;
/** One of so many withdraws. */
const WITHDRAWING = 100;
/** Of their own, whose requests are under way at a time. */
const AT_ONCE = 64;
const BYTES_A_MB = 1_048_576;
/** What a withdrawal to a new wallet takes from the token's sponsor, and then some. */
const SPONSOR_LAMPORTS = 3_000_000n;
const GOALS = { registered: 10, new: 60, known: 30, coordinatorMb: 1_000, layerBytes: 150 } as const;

/** Somebody who asks for what they have, and where that is. */
type Asking = {
  readonly entry: Recipient;
  readonly page: Address;
  readonly slot: number;
  readonly key: Uint8Array;
};

/**
 * Those whose keys are kept ask for all that they have, each to their own wallet; then all of it is paid. The command would look at every page for
 * each of them, where a recipient is told their place: all places are looked up at once.
 */
async function withdrawAll(world: World, employer: Employer, keys: ReadonlyMap<Address, KeyPairSigner>): Promise<void> {
  const { ledgers } = world;
  const { mint } = employer;
  const { executionAuthority } = (await fetchConfig(ledgers.base, await findConfigAddress())).data;
  const owners = new Map<Address, Recipient>();
  for (const entry of employer.list.recipients) {
    if (keys.has(entry.recipient)) owners.set(addressFromBytes(ownerRecord(entry).owner), entry);
  }
  const asking: Asking[] = [];
  for (const { address: page, bytes } of await balancePages(ledgers, mint)) {
    const nonce = Uint8Array.from(getBalancePageDecoder().decode(bytes).nonce);
    for (const { slot, owner } of slotsOf(bytes)) {
      const entry = owners.get(owner);
      if (entry !== undefined) asking.push({ entry, page, slot, key: personalKey(nonce, addressToBytes(owner)) });
    }
  }
  const ask = async ({ entry, page, slot, key }: Asking) => {
    const recipient = keys.get(entry.recipient) as KeyPairSigner;
    const made = personalNamed(mint, key, 1);
    const terms = { personal: made.address, time: ledgers.time };
    const balance = { ...entry, mint, page, slot };
    const opening = await actFor(recipient, terms, async (signer) => [
      await openPersonalInstruction({ signer, balance, personal: made, executionAuthority, isPrivate: false }),
    ]);
    await sendToLayer(ledgers, opening.instructions, opening.feePayer);
    const wallet = recipient.address;
    const request = await actFor(recipient, terms, (signer) =>
      requestWithdrawalInstructions({ signer, personal: made.address, page, mint, wallet, amount: 'all' }),
    );
    await sendToLayer(ledgers, request.instructions, request.feePayer);
  };
  const queue = asking.values();
  const askInTurn = async () => {
    for (const each of queue) await ask(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
  const paid = async () => metricIn(await world.metrics(), 'service_withdrawals_total', 'outcome="paid"');
  await until(async () => (await paid()) >= keys.size, 'every withdrawal to be paid', LONGEST_MS, LOOK_MS);
}

async function payAMillion(world: World, postgres: Postgres, recipients: number, say: (text: string) => void) {
  const databaseUrl = await postgres.createDatabase();
  const settings = { ...SERVICE_DEFAULTS, DATABASE_URL: databaseUrl, PAYLOAD_KEY: world.payloadKey };
  await world.startCoordinator({ ...settings, METRICS_PUBLIC: 'true' });
  const first = Math.floor(Date.now() / 1_000) + INTERVAL;
  const signers = await Promise.all(
    Array.from({ length: Math.ceil(recipients / WITHDRAWING) }, () => generateKeyPairSigner()),
  );
  const keys = new Map(signers.map((signer) => [signer.address, signer]));
  const payees = [
    ...signers.map(({ address: recipient }) => ({ recipient, amount: 1_000n })),
    ...somePayees(recipients - signers.length),
  ];
  say('its list');
  const employer = await world.employer(payees, {
    executions: 2,
    calendar: { unit: 'seconds', every: INTERVAL, day: 0 },
    firstExecution: BigInt(first),
    batchTimeout: 3_600,
  });
  const sponsored = BigInt(keys.size) * SPONSOR_LAMPORTS;
  await world.fund(world.admin.address);
  await sendToBase(world.ledgers, [await fillSponsorInstruction(world.admin, employer.mint, sponsored)], world.admin);
  const body = Buffer.from(
    JSON.stringify({ schedulePda: employer.schedule, recipients: recipientsToJson(employer.list.recipients) }),
  );
  const layerMb = () => residentMemory(world.localnet.layerPid as number);
  await untilIdle(world.coordinatorPid);
  say('registration');
  const registered = (await postList(world.apiUrl, body)) / 1_000;
  const settled: number[] = [];
  /** Bytes by which the layer's memory has grown in each window, for each recipient. */
  const grown: number[] = [];
  for (const window of [0, 1]) {
    say(`window ${window}`);
    await untilIdle(world.coordinatorPid);
    const before = layerMb();
    const dueAt = await comeDue(world.localnet.admin, first + window * INTERVAL);
    const run = await world.settled(employer, BigInt(window), LONGEST_MS, LOOK_MS);
    if (run.unpaid.count > 0) throw new Error(`${run.unpaid.count} of ${recipients} recipients were not paid.`);
    settled.push(((run.finishedAt ?? Number.NaN) - dueAt) / 1_000);
    grown.push(((layerMb() - before) * BYTES_A_MB) / recipients);
  }
  say(`${keys.size.toLocaleString('en')} withdrawals`);
  const begun = performance.now();
  await withdrawAll(world, employer, keys);
  const withdrawn = (performance.now() - begun) / 1_000;
  const memory = peakMemory(world.coordinatorPid);
  await world.stopCoordinator();
  await world.checkMoneyRules(employer);
  const [whenNew, whenKnown] = grown as [number, number];
  // What the validator remembers of a payment is there in each window, whoever is new.
  const bytes = { balance: whenNew - whenKnown, payment: whenKnown };
  return { registered, new: settled[0] as number, known: settled[1] as number, memory, bytes, withdrawn };
}

async function rowsOf(recipients: number, say: (text: string) => void): Promise<Row[]> {
  const seen = await onPostgres((postgres) => onLedgers((world) => payAMillion(world, postgres, recipients, say)));
  const name = `one payroll of ${recipients.toLocaleString('en')}`;
  const figure = (what: string, measured: number, unit: string, most?: number): Row =>
    judged({ name: `${name}, ${what}`, measured, unit, ...(most !== undefined && { goal: { most } }) });
  return [
    figure('registered', seen.registered, ' s', GOALS.registered),
    figure('new, due to final', seen.new, ' s', GOALS.new),
    figure('known, due to final', seen.known, ' s', GOALS.known),
    figure("coordinator's peak memory", seen.memory, ' MB', GOALS.coordinatorMb),
    figure("layer's memory a balance", seen.bytes.balance, ' bytes', GOALS.layerBytes),
    figure("layer's memory a payment", seen.bytes.payment, ' bytes'),
    figure('one in a hundred withdraws, asked to paid', seen.withdrawn, ' s'),
  ];
}

export const million: Measure = {
  name: 'million',
  minutes: 10,
  run: (quick, say) => rowsOf(quick ? 2_000 : 1_000_000, say),
};
