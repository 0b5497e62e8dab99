import {
  accountsOf,
  availableOf,
  BALANCE_PAGE_KIND,
  type Batch,
  BatchPhase,
  bitmapAddresses,
  bitmapOf,
  checkPool,
  checkVault,
  checkWindow,
  fetchPool,
  fetchSchedule,
  fetchVault,
  findBatchPda,
  findPoolPda,
  getBatchDecoder,
  getPageDecoder,
  getPersonalDecoder,
  type Ledgers,
  PAGE_KIND,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERSONAL_KIND,
  poolHeld,
  tokensIn,
  type Violation,
} from '@payouts/client';
import { type Address, getBase64Encoder } from '@solana/kit';
import { slotsOf } from './balances.ts';

const PAGE_NUMBERS = 8_192n;

/** Which accounts a proof is about. */
export interface ProofSubject {
  readonly mint: Address;
  readonly vaults: readonly Address[];
  readonly schedules: readonly Address[];
  readonly programAddress?: Address;
}

/** The money rules' terms as both ledgers hold them now (base units), and every rule that is broken. */
export interface BalanceProof {
  readonly vaults: readonly {
    readonly deposited: bigint;
    readonly withdrawn: bigint;
    readonly available: bigint;
    readonly reserved: bigint;
    readonly open: bigint;
    readonly paid: bigint;
  }[];
  readonly pool: {
    readonly held: bigint;
    readonly openBudgets: bigint;
    readonly privateBalances: bigint;
    readonly balances: number;
    readonly withdrawalsUnderWay: bigint;
  };
  readonly violations: readonly Violation[];
}

/** Readings taken before one is given up as a proof of anything. */
const MOST_READINGS = 200;

/**
 * Reads both ledgers and checks the money rules of the given vaults and of the token's pool. The sums of private balances come from
 * the execution layer, the rest from the base ledger. Nothing stands still meanwhile, so it reads until two readings in a row are
 * the same: what they show then held at the moment between them.
 *
 * @throws when the ledgers never stood still for two readings
 */
export async function balanceProof(ledgers: Ledgers, subject: ProofSubject): Promise<BalanceProof> {
  let before: string | undefined;
  for (let reading = 0; reading < MOST_READINGS; reading += 1) {
    const proof = await read(ledgers, subject);
    const text = JSON.stringify(proof, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
    if (text === before) return proof;
    before = text;
  }
  throw new Error('The ledgers are too busy for a balance proof: take it when no window of this token is open.');
}

/** One reading: not of one moment. */
async function read(ledgers: Ledgers, subject: ProofSubject): Promise<BalanceProof> {
  const program = subject.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const violations: Violation[] = [];

  const vaults = [];
  for (const at of subject.vaults) {
    const { data: vault } = await fetchVault(ledgers.base, at);
    violations.push(...checkVault(vault, await tokensIn(ledgers.base, vault.tokenAccount, 'confirmed')));
    const { deposited, withdrawn, reserved, open, paid } = vault;
    vaults.push({ deposited, withdrawn, available: availableOf(vault), reserved, open, paid });
  }

  const [poolAddress] = await findPoolPda({ mint: subject.mint }, { programAddress: program });
  const { data: pool } = await fetchPool(ledgers.base, poolAddress);
  const pages = new Map<bigint, Uint8Array>();
  const { mint } = subject;
  for (const { bytes } of await accountsOf(ledgers.base, program, PAGE_KIND, { address: mint, at: 8n })) {
    const page = getPageDecoder().decode(bytes);
    pages.set(BigInt(page.page), page.bitmap as Uint8Array);
  }
  const isPaid = (number: bigint): boolean => {
    const bit = Number(number % PAGE_NUMBERS);
    return (((pages.get(number / PAGE_NUMBERS)?.[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  };

  let privateBalances = 0n;
  let withdrawalsUnderWay = 0n;
  let balances = 0;
  const ofMint = { address: mint, at: 8n };
  for (const { bytes } of await accountsOf(ledgers.layer, program, BALANCE_PAGE_KIND, ofMint)) {
    for (const { amount } of slotsOf(bytes)) {
      privateBalances += amount;
      balances += 1;
    }
  }
  for (const { bytes } of await accountsOf(ledgers.layer, program, PERSONAL_KIND, ofMint)) {
    for (const { number, amount } of getPersonalDecoder().decode(bytes).withdrawals) {
      if (number !== 0n && !isPaid(number)) withdrawalsUnderWay += amount;
    }
  }

  let openBudgets = 0n;
  for (const at of subject.schedules) {
    const { data: schedule } = await fetchSchedule(ledgers.base, at);
    if (schedule.windowAmount === 0n) continue;
    const [batchAddress] = await findBatchPda({ schedule: at }, { programAddress: program });
    const [onBase, onLayer] = await Promise.all(
      [ledgers.base, ledgers.layer].map((rpc) => rpc.getAccountInfo(batchAddress, { encoding: 'base64' }).send()),
    );
    // The base's copy is worth reading only when the batch is back; the layer's may still be that of the window before.
    const account = onBase?.value?.owner === program ? onBase.value : onLayer?.value;
    const batch = account ? getBatchDecoder().decode(getBase64Encoder().encode(account.data[0])) : undefined;
    if (batch === undefined || batch.window !== schedule.window || batch.phase === BatchPhase.Idle) {
      // On its way to the layer, where nobody can have been paid from it yet.
      openBudgets += schedule.windowAmount;
      continue;
    }
    const bitmap = onBase?.value?.owner === program ? undefined : await bitmapIn(ledgers.layer, batch, program);
    violations.push(...checkWindow(schedule, batch, bitmap));
    openBudgets += batch.amount - batch.paidAmount;
  }

  const held = poolHeld(pool);
  violations.push(
    ...checkPool(pool, await tokensIn(ledgers.base, pool.tokenAccount, 'confirmed'), {
      openBudgets,
      privateBalances,
      withdrawalsUnderWay,
    }),
  );
  return {
    vaults,
    pool: { held, openBudgets, privateBalances, balances, withdrawalsUnderWay },
    violations,
  };
}

/** Who is paid or held back in an open window, as the layer shows it; undefined where it does not, or the batch is over. */
async function bitmapIn(layer: Ledgers['layer'], batch: Batch, program: Address): Promise<Uint8Array | undefined> {
  if (batch.phase !== BatchPhase.Open) return undefined;
  const addresses = bitmapAddresses(batch, batch.recipients, program);
  const pages = await Promise.all(
    addresses.map((address) => layer.getAccountInfo(address, { encoding: 'base64' }).send()),
  );
  return bitmapOf(
    batch,
    pages.map(({ value }) => (value === null ? undefined : new Uint8Array(getBase64Encoder().encode(value.data[0])))),
  );
}
