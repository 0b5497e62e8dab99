import { randomBytes, randomInt } from 'node:crypto';
import {
  addressToBytes,
  findTokenAddress,
  nodeHash,
  PAYOUT_LEDGER_ERROR__NOT_COVERED,
  PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY,
  type WithdrawalProof,
  withdrawalLeafHash,
} from '@payouts/client';
import { BLANK_POOL } from '@payouts/testing/blankAccounts';
import { manualTime } from '@payouts/testing/manualTime';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import type { SendAnswer } from '../../src/ledger/ledger.ts';
import { LiabilityRecorders } from '../../src/liabilities/recorders.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { sqlLiabilityStore } from '../../src/store/liabilityStore.ts';
import type { Db } from '../../src/store/schema.ts';
import { WithdrawalWorker } from '../../src/withdrawals/worker.ts';
import { addSchedule } from './addSchedule.ts';
import { balancesOver } from './balances.ts';
import { type FakeBalance, type FakeWithdrawal, placeAt } from './fakeBalances.ts';
import { FakeToken } from './fakeToken.ts';
import { silentLog } from './log.ts';
import { randomAddress } from './promised.ts';
import { quietFees } from './quietFees.ts';
import { type Asked, askedBy, RELEASE_SECONDS, START, STUCK_SECONDS } from './withdrawalWorker.ts';

const PAGES = 1;
const SLOTS = 240;
/** The layer issues a withdrawal again after so many seconds. */
const REISSUE_AFTER = 30n;

/** A withdrawal that somebody has asked for; `isPayable` may change. */
export type Asking = { readonly number: bigint; readonly balance: FakeBalance; isPayable: boolean };

/** A token of which more withdrawals may be under way than a tree holds: worker, recorder and ledgers, with the program's rules for withdrawals. */
export async function tokenOfMany(database: Db, mostRecorded: number) {
  const fake = new FakeToken();
  await fake.prepare();
  for (let page = 1; page <= PAGES; page++) fake.layerBalances.makePage(page);
  const { program, mint, base } = fake;
  await addSchedule(database, { mint });
  const time = manualTime(START);
  const metrics = createMetrics();
  const asked = new Map<bigint, Asking>();
  /** Numbers in the order in which they were issued, each as often as it was. */
  const issued: bigint[] = [];

  const issue = (balance: FakeBalance, withdrawal: FakeWithdrawal, proven: WithdrawalProof) => {
    const { number, dueAt = 0n } = withdrawal;
    if (fake.paid.has(number)) return void fake.layerBalances.clear(balance, number);
    const now = BigInt(Math.floor(time.now() / 1_000));
    if (now < dueAt) return PAYOUT_LEDGER_ERROR__WITHDRAWAL_UNDER_WAY;
    if (!isRecorded(fake, withdrawal, proven)) return PAYOUT_LEDGER_ERROR__NOT_COVERED;
    withdrawal.dueAt = now + REISSUE_AFTER;
    issued.push(number);
    if (asked.get(number)?.isPayable === true) fake.payOut(balance, withdrawal);
    return undefined;
  };
  const execute = ({ act, personal, id = 0, proven }: Asked) => {
    const balance = [...fake.balances.values()].find((each) => each.personal === personal);
    const withdrawal = balance?.withdrawals[id - 1];
    if (act !== 'confirm' || balance === undefined || withdrawal === undefined || proven === undefined) {
      throw new Error('The worker asks for something else.');
    }
    return issue(balance, withdrawal, proven);
  };
  const layer = {
    ...fake.layer,
    lifetime: async () => ({ blockhash: randomAddress(), lastValidBlockHeight: 9n }),
    async send(wire: string): Promise<SendAnswer> {
      const code = askedBy(wire, program).map(execute)[0];
      if (code === undefined) return { kind: 'taken' };
      return { kind: 'refused', err: { InstructionError: [1, { Custom: code }] }, logs: [] };
    },
    statuses: async () => [{ err: null, commitment: 'confirmed' }],
  };
  const payloadKeys = localPayloadKeys(randomBytes(32));
  const balances = balancesOver({ program, layer: fake.layer, database, payloadKeys, time });
  await balances.adopt(mint);
  const { signal } = new AbortController();
  const context = {
    ...{ program, base, layer, time, metrics, balances, signal, mostRecorded, database },
    config: randomAddress(),
    authority: await generateKeyPairSigner(),
    fees: quietFees(time, metrics),
    store: sqlLiabilityStore(database, payloadKeys),
    locks: { holds: async () => true, release: async () => {} },
    findList: fake.findList,
    log: silentLog,
  };
  const work = () =>
    new WithdrawalWorker({
      ...context,
      liabilities: new LiabilityRecorders(context as never),
      draining: signal,
      history: { note: () => {}, paid: () => true, orderEnded: () => {} },
      transfers: { codes: {}, history: { keep: async () => {} } },
      intervalMs: 500,
      stuckSeconds: STUCK_SECONDS,
      releaseSeconds: RELEASE_SECONDS,
      randomBelow: randomInt,
    } as never);
  let worker = work();

  return {
    fake,
    time,
    issued,
    /** How often a number was issued. */
    tries: (number: bigint) => issued.filter((each) => each === number).length,
    isPaid: ({ number }: Asking) => fake.paid.has(number),
    /** So many are asked for, each of a balance of its own that was paid just that. */
    ask(count: number, isPayable: boolean): Asking[] {
      return Array.from({ length: count }, () => {
        const owner = randomAddress();
        const place = placeAt(1 + Math.floor(fake.balances.size / SLOTS), fake.balances.size % SLOTS);
        fake.layerBalances.add({ owner, place }, 1n);
        fake.pool.movedIn += 1n;
        const balance = fake.balances.get(owner) as FakeBalance;
        const number = fake.nextNumber;
        fake.withdraw(balance, 1n);
        const asking = { number, balance, isPayable };
        asked.set(number, asking);
        return asking;
      });
    },
    /** One is sent to another wallet. */
    redirect({ number, balance }: Asking): void {
      const withdrawal = balance.withdrawals.find((each) => each.number === number);
      if (withdrawal !== undefined) withdrawal.wallet = randomAddress();
    },
    /** The token account of the wallet to which one goes is opened; `owner`: and given to somebody else. */
    async openAccount({ number, balance }: Asking, owner?: Address): Promise<void> {
      const { wallet } = balance.withdrawals.find((each) => each.number === number) as FakeWithdrawal;
      const data = new Uint8Array(165);
      data.set(addressToBytes(mint), 0);
      data.set(addressToBytes(owner ?? wallet), 32);
      fake.tokenAccounts.set(await findTokenAddress(wallet, mint, BLANK_POOL.tokenProgram), data);
    },
    /** So many looks, one each `everyMs`. */
    async look(times: number, everyMs = 500): Promise<void> {
      for (let done = 0; done < times; done++) {
        await time.advance(everyMs);
        await time.during(worker.poll());
      }
    },
    /** Another process goes on. */
    restart(): void {
      worker = work();
    },
  };
}

/** Whether a withdrawal stands in the tree that the pool has recorded. */
function isRecorded(
  { pool }: FakeToken,
  withdrawal: FakeWithdrawal,
  { index, blind, proof }: WithdrawalProof,
): boolean {
  let hash = withdrawalLeafHash(withdrawal, Uint8Array.from(blind));
  const left = [...proof];
  for (let [place, size] = [index, pool.withdrawalLeaves]; size > 1; size = Math.ceil(size / 2)) {
    const isLeft = place % 2 === 0;
    if (!isLeft || place + 1 < size) {
      const sibling = Uint8Array.from(left.shift() ?? []);
      hash = isLeft ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
    }
    place = Math.floor(place / 2);
  }
  return index < pool.withdrawalLeaves && Buffer.compare(hash, pool.withdrawalsRoot) === 0;
}
