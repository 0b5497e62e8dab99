import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateKey, writePayroll } from '@payouts/cli';
import { addressToBytes, type Payee, RecipientClient, systemTime } from '@payouts/client';
import { createSampleToken, SAMPLE_DECIMALS } from '@payouts/sandbox';
import { payoutHere } from '@payouts/testing/payout';
import { recordSecrets } from '@payouts/testing/record';
import type { World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const PEOPLE = 40;
const LEAST = 1_700n;
const HOUR = 3_600;

/** Nothing listens there: the ledger takes what the command sends, and no coordinator hears of it. */
const NOWHERE = 'http://127.0.0.1:9';

type Homes = { readonly homes: string; readonly clone: string };

/** A person's home folder, with their key where Solana's tools have it; and the key as a file in the clone. */
async function person({ homes, clone }: Homes, who: string, file: string): Promise<KeyPairSigner> {
  const place = join(homes, who, '.config', 'solana');
  mkdirSync(place, { recursive: true });
  const key = await readOrCreateKey(join(place, 'id.json'));
  cpSync(join(place, 'id.json'), join(clone, file));
  return key;
}

/**
 * Everything that pages speak of: an employer, a recipient and an auditor with keys, payrolls as files, and schedules in several states,
 * made by the command itself. Returns what words on pages stand for.
 */
export async function peopleOf(world: World, places: Homes): Promise<Record<string, string>> {
  const { homes, clone } = places;
  const [signer, recipient, auditor] = [
    await person(places, 'employer', 'employer.json'),
    await person(places, 'recipient', 'me.json'),
    await person(places, 'auditor', 'auditor.json'),
  ];
  const [mintKey, wallet] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const mint = mintKey.address;
  await world.fund(signer.address);
  const amount = 10_000_000n * UNIT;
  await createSampleToken(world.ledgers, { payer: world.admin, mint: mintKey, holder: signer.address, amount });

  const others = await Promise.all(Array.from({ length: PEOPLE }, () => generateKeyPairSigner()));
  const addresses = [recipient, ...others].map(({ address }) => address);
  const payroll = async (name: string, count: number, raised = 100n): Promise<void> => {
    const payees: Payee[] = addresses
      .slice(0, count)
      .map((address, at) => ({ recipient: address, amount: (LEAST * UNIT * (at === 1 ? raised : 100n)) / 100n }));
    recordSecrets(payees.map(({ recipient }) => ['address', Buffer.from(addressToBytes(recipient)).toString('hex')]));
    await writePayroll(join(clone, name), payees, SAMPLE_DECIMALS);
  };
  await payroll('november.csv', PEOPLE);
  await payroll('december.csv', PEOPLE + 1, 140n);
  await payroll('three.csv', 3);
  await payroll('four.csv', 4);
  const faulty = `${addresses[1]?.slice(0, -1)}0`;
  writeFileSync(join(clone, 'faulty.csv'), `recipient,amount\n${addresses[0]},ten\n${faulty},1.00\n`);

  const env = {
    HOME: join(homes, 'employer'),
    PAYOUT_BOOK: join(homes, 'employer', '.payouts', 'lists'),
    PAYOUT_RPC: world.localnet.baseRpcUrl,
    PAYOUT_API: world.apiUrl,
  };
  const done = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await payoutHere(env, ...words, '--keypair', join(clone, 'employer.json'), '--yes');
    if (code !== 0) throw new Error(`payout ${words.join(' ')}: ${err}`);
    return out;
  };
  const promised = async (file: string, ...terms: readonly string[]): Promise<Address> => {
    const words = ['schedule', 'create', join(clone, file), '--token', mint, '--every', '1h', '--timeout', '10m'];
    return (JSON.parse(await done(...words, ...terms, '--json')) as { schedule: Address }).schedule;
  };
  await done('vault', 'init', '--token', mint);
  await done('vault', 'deposit', '2,000,000', '--token', mint);
  const standing = await promised('november.csv', '--executions', '3');
  const finished = await promised('three.csv', '--executions', '1');
  const inAnHour = new Date(Date.now() + HOUR * 1_000).toISOString().slice(0, 16);
  const changed = await promised('three.csv', '--executions', '2', '--first', inAnHour);
  // Its new list is on the ledger and no coordinator has it, so its first window is held.
  await done('schedule', 'update', changed, join(clone, 'four.csv'), '--api', NOWHERE, '--json').catch(
    (error: Error) => {
      if (!error.message.includes('not-registered')) throw error;
    },
  );
  const reached = (schedule: Address, window: number, state: string) =>
    world.runIn({ schedule }, state, { window }, 120_000);
  // A window that is being paid would run out of time by an hour's jump.
  for (const schedule of [standing, finished]) await reached(schedule, 0, 'settled');
  await world.localnet.admin.advanceClock(HOUR + 60);
  await reached(standing, 1, 'settled');
  await reached(changed, 0, 'held');
  const { balances } = await new RecipientClient({
    apiUrl: world.apiUrl,
    signer: recipient,
    time: systemTime,
  }).balances();
  return {
    STAGE_MINT: mint,
    STAGE_SCHEDULE: standing,
    STAGE_FINISHED: finished,
    STAGE_HELD: changed,
    STAGE_WALLET: wallet.address,
    STAGE_AUDITOR: auditor.address,
    STAGE_RECIPIENT: recipient.address,
    STAGE_BALANCE: balances[0]?.address ?? '',
  };
}
