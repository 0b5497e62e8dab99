import { balancesOf } from '@payouts/cli';
import {
  addressFromBytes,
  dueAt,
  getPoolDecoder,
  getScheduleDecoder,
  getVaultDecoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  POOL_KIND,
  SCHEDULE_KIND,
  SchedulePhase,
  ScheduleStatus,
  VAULT_KIND,
} from '@payouts/client';
import { personalSeen } from '@payouts/testing/underWay';
import type { Address } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Answers, LedgerChange, LedgerPool, LedgerSchedule, LedgerTokens, LedgerVault } from './events.ts';
import type { Recorder } from './record.ts';
import type { Company, Stage } from './stage.ts';

const hex = (bytes: ArrayLike<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex');
const STATUSES = {
  [ScheduleStatus.Active]: 'active',
  [ScheduleStatus.Paused]: 'paused',
  [ScheduleStatus.Cancelled]: 'cancelled',
  [ScheduleStatus.Completed]: 'completed',
  [ScheduleStatus.Awaiting]: 'awaiting',
} as const;
const TOKEN_ACCOUNT_BYTES = 165;
const AMOUNT_AT = 64;

type Written = { readonly address: string; readonly owner: string; readonly data: string };

function vaultOf(address: string, bytes: Uint8Array): LedgerVault {
  const { mint, tokenAccount, deposited, withdrawn, reserved, open, paid } = getVaultDecoder().decode(bytes);
  const [sums, held] = [[deposited, withdrawn].map(Number), [reserved, open, paid].map(Number)] as [number[], number[]];
  return {
    ...{ address, mint, tokenAccount },
    ...{ deposited: sums[0] as number, withdrawn: sums[1] as number },
    ...{ reserved: held[0] as number, open: held[1] as number, paid: held[2] as number },
  };
}

function poolOf(bytes: Uint8Array): LedgerPool {
  const { mint, tokenAccount, movedIn, returned, paidOut, open } = getPoolDecoder().decode(bytes);
  const numbers = { movedIn: Number(movedIn), returned: Number(returned), paidOut: Number(paidOut) };
  return { mint, tokenAccount, ...numbers, open: Number(open) };
}

function scheduleOf(address: string, bytes: Uint8Array): LedgerSchedule {
  const schedule = getScheduleDecoder().decode(bytes);
  return {
    ...{ address, mint: schedule.mint, root: hex(schedule.root) },
    status: STATUSES[schedule.status],
    isOpen: schedule.phase === SchedulePhase.Open,
    window: Number(schedule.window),
    dueAt: Number(dueAt(schedule)),
    executionsLeft: schedule.executionsLeft,
    held: schedule.held.slice(0, schedule.heldCount),
    windowAmount: Number(schedule.windowAmount),
    windowRecipients: schedule.windowRecipients,
    windowHeld: schedule.windowHeld,
    lastPaidAmount: Number(schedule.lastPaidAmount),
    lastPaidCount: schedule.lastPaidCount,
  };
}

function tokensOf(address: string, bytes: Buffer): LedgerTokens {
  const [mint, owner] = [bytes.subarray(0, 32), bytes.subarray(32, 64)].map((each) => addressFromBytes(each));
  const amount = Number(bytes.readBigUInt64LE(AMOUNT_AT));
  return { address, mint: mint as Address, owner: owner as Address, amount };
}

/** What a transaction has written, of what a history is about. */
function changeOf(written: readonly Written[], isLeftOut: (tokens: LedgerTokens) => boolean): LedgerChange {
  const [vaults, pools, schedules, tokens]: [LedgerVault[], LedgerPool[], LedgerSchedule[], LedgerTokens[]] = [
    [],
    [],
    [],
    [],
  ];
  for (const { address, owner, data } of written) {
    const bytes = Buffer.from(data, 'base64');
    if (owner === TOKEN_PROGRAM_ADDRESS && bytes.length === TOKEN_ACCOUNT_BYTES) {
      const account = tokensOf(address, bytes);
      if (!isLeftOut(account)) tokens.push(account);
    }
    if (owner !== PAYOUT_LEDGER_PROGRAM_ADDRESS) continue;
    if (bytes[0] === VAULT_KIND) vaults.push(vaultOf(address, bytes));
    if (bytes[0] === POOL_KIND) pools.push(poolOf(bytes));
    if (bytes[0] === SCHEDULE_KIND) schedules.push(scheduleOf(address, bytes));
  }
  return { vaults, pools, schedules, tokens };
}

/** Writes down every transaction of the base ledger that succeeded, as it left the accounts. */
export async function recordLedger({ world, companies }: Stage, recorder: Recorder): Promise<void> {
  // What employers hold beside their vaults is no part of it.
  const employers = new Set<string>(companies.map(({ signer }) => signer.address));
  for await (const { at, blockTime, err, accounts } of world.localnet.admin.listTransactions()) {
    if (err !== null) continue;
    const change = changeOf(accounts, ({ owner }) => employers.has(owner));
    if (Object.values(change).every((changed) => changed.length === 0)) continue;
    recorder.note({ kind: 'ledger', at: at - performance.timeOrigin, time: blockTime, ...change });
  }
}

/** What the layer holds of a company's token for each recipient. Throws while it does not answer. */
export async function readLayer(
  { ledgers }: Stage['world'],
  { mint, recipients }: Company,
  ownersOf: (recipient: string) => readonly OwnedBalance[],
): Promise<Answers['layer']> {
  const held = await balancesOf(ledgers, mint);
  return Promise.all(
    recipients.map(async ({ address }) => {
      const own = ownersOf(address);
      const asked = await Promise.all(own.map(({ balance }) => personalSeen(ledgers, balance)));
      const underWay = asked
        .flatMap((personal) => personal?.withdrawals ?? [])
        .filter(({ amount }) => amount !== 0n)
        .map(({ wallet, amount }) => ({ wallet, amount: Number(amount) }));
      const amount = own.reduce((sum, { owner }) => sum + Number(held.get(owner) ?? 0n), 0);
      return { recipient: address, amount, underWay };
    }),
  );
}

/** A balance of a recipient by its owner in base 58, and what that is made of. */
export type OwnedBalance = { readonly owner: Address; readonly balance: Parameters<typeof personalSeen>[1] };
