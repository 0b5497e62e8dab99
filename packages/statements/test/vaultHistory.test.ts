import {
  findScheduleAddress,
  getPayoutEventEncoder,
  getVaultEncoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PayoutEventArgs,
} from '@payouts/client';
import { type Address, getBase64Decoder } from '@solana/kit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomAddress } from '../../client/test/support.ts';
import { HistoryError, readVaultHistory } from '../src/index.ts';

type Totals = { readonly deposited: bigint; readonly withdrawn: bigint; readonly paid: bigint };
type Landed = { readonly events: readonly PayoutEventArgs[]; readonly hasFailed?: boolean };

const SCHEDULES = 3n;
const NOTHING: Totals = { deposited: 0n, withdrawn: 0n, paid: 0n };

const vault = randomAddress();
let own: readonly Address[];

beforeAll(async () => {
  own = await Promise.all(Array.from({ length: Number(SCHEDULES) }, (_, id) => findScheduleAddress(vault, BigInt(id))));
});

const base64 = getBase64Decoder();
const logsOf = ({ events }: Landed) => [
  `Program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} invoke [1]`,
  ...events.map((event) => `Program data: ${base64.decode(getPayoutEventEncoder().encode(event))}`),
  `Program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} success`,
];

/** A node that tells this history of the vault, and these totals each time that it is asked for its account. */
function nodeOf(history: readonly (Landed | 'forgotten')[], totals: () => Totals) {
  const answer = <T>(value: T) => ({ send: async () => value });
  const account = () => {
    const rest = {
      bump: 1,
      decimals: 6,
      schedules: 3,
      reserved: 0n,
      open: 0n,
      nextId: SCHEDULES,
      closed: 0,
      approval: 0,
      hasPowers: 0,
    };
    const limits = { spentDay: 0, approvalLimit: 0n, dailyLimit: 0n, spentAlone: 0n };
    const addresses = { employer: randomAddress(), mint: randomAddress(), tokenAccount: randomAddress() };
    const data = getVaultEncoder().encode({ ...rest, ...limits, ...addresses, ...totals() });
    return {
      data: [base64.decode(data), 'base64'],
      owner: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      executable: false,
      lamports: 1n,
      space: 1n,
    };
  };
  return {
    getAccountInfo: () => answer({ value: account() }),
    getSignaturesForAddress: () =>
      answer(
        history
          .map((landed, at) => ({ signature: String(at), err: landed !== 'forgotten' && landed.hasFailed ? {} : null }))
          .reverse(),
      ),
    getTransaction: (signature: string) => {
      const landed = history[Number(signature)];
      if (landed === undefined || landed === 'forgotten') return answer(null);
      return answer({ blockTime: BigInt(1_000 + Number(signature)), meta: { logMessages: logsOf(landed) } });
    },
  } as unknown as Parameters<typeof readVaultHistory>[1];
}

const codeOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'told',
    (error: unknown) => (error instanceof HistoryError ? error.code : String(error)),
  );

const amounts = fc.bigInt({ min: 1n, max: 10n ** 12n });
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('deposit', 'withdrawal', 'payday', 'reclaim', 'close', 'other', 'failed'),
    amount: amounts,
    part: fc.bigInt({ min: 0n, max: 100n }),
    schedule: fc.nat(Number(SCHEDULES) - 1),
  }),
  { maxLength: 20 },
);

/** The transactions of such steps, as the program would log them, and what they come to. */
function happened(all: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) {
  let { deposited, withdrawn, paid } = NOTHING;
  const history = all.map(({ kind, amount, part, schedule: place }, at): Landed => {
    const [schedule, window] = [own[place] as Address, BigInt(at)];
    const bitmapHash = new Uint8Array(32);
    const settled = { __kind: 'WindowSettled', window, paidCount: 1, returned: 0n, bitmapHash } as const;
    const held = deposited - withdrawn - paid;
    const share = (held * part) / 100n;
    const opened = { __kind: 'WindowOpened', schedule, window, amount: share, recipients: 1, held: 0 } as const;
    if (kind === 'deposit') {
      deposited += amount;
      return { events: [{ __kind: 'Deposited', vault, amount }] };
    }
    if (kind === 'withdrawal' && share > 0n) {
      withdrawn += share;
      return { events: [{ __kind: 'Withdrawn', vault, amount: share }] };
    }
    if (kind === 'payday') {
      paid += share;
      return { events: [opened, { ...settled, schedule, paidAmount: share }] };
    }
    if (kind === 'reclaim') {
      const returned = share / 3n;
      paid += share - returned;
      return { events: [opened, { __kind: 'WindowReclaimed', schedule, window, returned }] };
    }
    if (kind === 'close') {
      withdrawn += held;
      // With what was sent to it without a deposit.
      return { events: [{ __kind: 'VaultClosed', vault, returned: held + amount }] };
    }
    if (kind === 'failed') return { events: [{ __kind: 'Deposited', vault, amount }], hasFailed: true };
    // Another vault's, in the same transaction.
    const stranger = { ...settled, schedule: randomAddress(), paidAmount: amount };
    return { events: [{ __kind: 'Deposited', vault: randomAddress(), amount }, stranger] };
  });
  return { history, totals: { deposited, withdrawn, paid } };
}

describe('a vault’s history', () => {
  it('comes to what the ledger says of the vault, to the unit, whatever has happened', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { history, totals } = happened(all);
        const { movements, balance } = await readVaultHistory(
          vault,
          nodeOf(history, () => totals),
        );
        const sum = movements.reduce(
          (before, { isCredit, amount }) => (isCredit ? before + amount : before - amount),
          0n,
        );
        expect(sum).toBe(balance);
        expect(balance).toBe(totals.deposited - totals.withdrawn - totals.paid);
        expect(movements.map(({ at }) => at)).toEqual(movements.map(({ at }) => at).toSorted((a, b) => a - b));
        const runs = movements.filter(({ run }) => run !== undefined);
        expect(runs.reduce((before, { amount }) => before + amount, 0n)).toBe(totals.paid);
      }),
      { numRuns: 50 },
    );
  });

  it('is not told where the node has lost a part of it, or says another sum', async () => {
    const { history, totals } = happened([
      { kind: 'deposit', amount: 1_000n, part: 0n, schedule: 0 },
      { kind: 'payday', amount: 0n, part: 50n, schedule: 1 },
    ]);
    expect(
      await codeOf(
        readVaultHistory(
          vault,
          nodeOf(history, () => totals),
        ),
      ),
    ).toBe('told');
    for (const lost of [history.slice(1), history.slice(0, 1), ['forgotten', history[1] as Landed] as const]) {
      expect(
        await codeOf(
          readVaultHistory(
            vault,
            nodeOf(lost, () => totals),
          ),
        ),
      ).toBe('history-incomplete');
    }
    for (const other of [{ deposited: 1_001n }, { withdrawn: 1n }, { paid: 499n }]) {
      const reading = readVaultHistory(
        vault,
        nodeOf(history, () => ({ ...totals, ...other })),
      );
      expect(await codeOf(reading)).toBe('history-incomplete');
    }
  });

  it('is read again while the vault’s money moves', async () => {
    const { history, totals } = happened([{ kind: 'deposit', amount: 1_000n, part: 0n, schedule: 0 }]);
    let read = 0;
    const settling = () => (read++ < 2 ? { ...totals, deposited: BigInt(read) } : totals);
    expect(await codeOf(readVaultHistory(vault, nodeOf(history, settling)))).toBe('told');
    const restless = () => ({ ...totals, deposited: BigInt(read++) });
    expect(await codeOf(readVaultHistory(vault, nodeOf(history, restless)))).toBe('history-moving');
  });
});
