import { randomBytes, randomInt } from 'node:crypto';
import {
  CLOSE_PERSONAL_DISCRIMINATOR,
  CONFIRM_WITHDRAWAL_DISCRIMINATOR,
  EXECUTE_ORDER_DISCRIMINATOR,
  getConfirmWithdrawalInstructionDataDecoder,
  getExecuteOrderInstructionDataDecoder,
  type PayableWithdrawal,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  WIPE_PERSONAL_DISCRIMINATOR,
  type WithdrawalProof,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import {
  type Address,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import { NUMBERED, type ObservedWithdrawal, observedPersonal } from '../../src/balances/personal.ts';
import type { LedgerAccount, SendAnswer } from '../../src/ledger/ledger.ts';
import { WithdrawalTree } from '../../src/liabilities/withdrawalTree.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import type { Db } from '../../src/store/schema.ts';
import type { WithdrawalHistory } from '../../src/withdrawals/history.ts';
import type { WithdrawalState } from '../../src/withdrawals/keptRecord.ts';
import { WithdrawalWorker } from '../../src/withdrawals/worker.ts';
import { countOf } from './counted.ts';
import { holds, layerShowing } from './fakeLayer.ts';
import { keptLog } from './log.ts';
import { randomAddress } from './promised.ts';

/** Unix milliseconds at which a worker's clock stands first: a release instant. */
export const START = 1_800_000_000_000;
export const RELEASE_SECONDS = 60;
export const STUCK_SECONDS = 600;

/** What a worker had executed about a personal account; `id`: of a withdrawal, 0: what an order or a delivery takes. */
export type Asked = {
  readonly act: 'execute' | 'confirm' | 'wipe' | 'close';
  readonly personal: Address;
  readonly id?: number;
  /** Unix seconds at which what an order takes is released; 0: at once. */
  readonly dueAt?: bigint;
  /** Of one that is to be paid. */
  readonly proven?: WithdrawalProof;
};

export type WorkerOver = {
  readonly database: Db;
  readonly mint: Address;
  /** Of the execution layer. */
  readonly accounts: () => readonly LedgerAccount[];
  /** What the layer makes of something: the code of the program's error, or nothing. */
  readonly execute?: (asked: Asked) => number | undefined;
  /** What the base ledger pays by its recording, and has paid. */
  readonly payable?: readonly PayableWithdrawal[];
  readonly isPaid?: (number: bigint) => boolean;
  /** Where it is kept what is seen of withdrawals; nowhere by default. */
  readonly history?: Pick<WithdrawalHistory, 'note' | 'paid'>;
};

/** What a transaction asks of a program. */
export function askedBy(wire: string, program: Address): Asked[] {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(wire, 'base64'));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version !== 'legacy') throw new Error('not a legacy transaction');
  return message.instructions.flatMap(
    ({ programAddressIndex, accountIndices = [], data = new Uint8Array() }): Asked[] => {
      if (message.staticAccounts[programAddressIndex] !== program) return [];
      const accountAt = (place: number) => message.staticAccounts[accountIndices[place] ?? 0] as Address;
      const personal = accountAt(2);
      switch (data[0]) {
        case EXECUTE_ORDER_DISCRIMINATOR: {
          const { id, dueAt } = getExecuteOrderInstructionDataDecoder().decode(data);
          return [{ act: 'execute', personal, id, dueAt }];
        }
        case CONFIRM_WITHDRAWAL_DISCRIMINATOR: {
          const { id, proven } = getConfirmWithdrawalInstructionDataDecoder().decode(data);
          return [{ act: 'confirm', personal, id, proven: proven as WithdrawalProof }];
        }
        case WIPE_PERSONAL_DISCRIMINATOR:
          return [{ act: 'wipe', personal: accountAt(3) }];
        case CLOSE_PERSONAL_DISCRIMINATOR:
          return [{ act: 'close', personal }];
        default:
          throw new Error('The worker asks for something else.');
      }
    },
  );
}

/** A worker of one token over a layer's accounts and a recorder that has recorded what is to be paid. */
export async function workerOver(input: WorkerOver) {
  const { database, mint, accounts, execute = () => undefined, payable = [], isPaid = () => false } = input;
  const time = manualTime(START);
  const metrics = createMetrics();
  const { log, logged } = keptLog(time);
  const { signal } = new AbortController();
  const asked: Asked[] = [];
  const ended: Address[] = [];
  let recordings = 0;
  let looks = 0;
  const pool = async () => ({ pool: { sequence: BigInt(recordings), coveredTo: 2n ** 60n }, isPaid });
  const numbered = async () =>
    accounts().flatMap((account) => {
      const personal = holds(account, NUMBERED) ? observedPersonal(account, program) : undefined;
      return personal === undefined ? [] : [{ personal }];
    });
  const tree = new WithdrawalTree(randomBytes(32), mint, payable);
  const recorder = {
    mint,
    most: 4_096,
    cover: async () => {},
    open: async () => {},
    payable: async () => tree,
    isLeader: async () => true,
    shared: (work: () => unknown) => work(),
    reader: { pool, numbered },
    async record(isDone: () => Promise<boolean>) {
      while (!(await isDone())) recordings += 1;
    },
  };
  const shown = layerShowing(accounts);
  const layer = {
    ...shown,
    accounts: async (addresses: readonly Address[]) => {
      looks += addresses.length;
      return shown.accounts(addresses);
    },
    lifetime: async () => ({ blockhash: randomAddress(), lastValidBlockHeight: 9n }),
    async send(wire: string): Promise<SendAnswer> {
      for (const each of askedBy(wire, program)) {
        asked.push(each);
        const code = execute(each);
        if (code !== undefined) return { kind: 'refused', err: { InstructionError: [1, { Custom: code }] }, logs: [] };
      }
      return { kind: 'taken' };
    },
    statuses: async () => [{ err: null, commitment: 'confirmed' }],
  };
  const worker = new WithdrawalWorker({
    ...{ time, metrics, log, signal, draining: signal, database, layer, base: layer, program },
    authority: await generateKeyPairSigner(),
    config: randomAddress(),
    liabilities: { of: () => recorder },
    history: {
      note: (seen: ObservedWithdrawal, state: WithdrawalState) => input.history?.note(seen, state),
      paid: (seen: ObservedWithdrawal) => input.history?.paid(seen) ?? true,
      orderEnded: ({ recipient }: { readonly recipient: Address }) => ended.push(recipient),
    },
    transfers: {
      codes: { placeOf: async () => undefined },
      history: {
        begin: () => Promise.reject(new Error('Nobody pays a code.')),
        end: async () => {},
        keep: async () => {},
      },
    },
    intervalMs: 500,
    stuckSeconds: STUCK_SECONDS,
    releaseSeconds: RELEASE_SECONDS,
    randomBelow: randomInt,
  } as never);
  return {
    time,
    logged,
    /** Everything so far; what a look asks for comes last. */
    asked,
    /** Whose last part that stood ready was begun. */
    ended,
    /** Accounts that were read one by one. */
    looks: () => looks,
    recordings: () => recordings,
    counted: (outcome: string) => countOf(metrics, 'service_withdrawals_total', { outcome }),
    /** One look; returns what it asked for. */
    async poll(): Promise<Asked[]> {
      const before = asked.length;
      await time.during(worker.poll());
      return asked.slice(before);
    },
  };
}
