import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { World } from '@payouts/testing/world';
import { type Address, type Base58EncodedBytes, getBase58Decoder, type Signature } from '@solana/kit';
import { WITH_ATTENTION } from '../../packages/coordinator/dist/liabilities/balanceAccount.js';
import { median } from '../runner/statistics.ts';
import { timed } from '../runner/timed.ts';

/** Signatures that the layer lists at a time. */
const PAGE = 1_000;
const LOOKS = 9;

/** Compute units of a batch's transactions in the layer since `after` (claims and the commit), and the newest signature seen. */
export async function layerUnits(
  world: World,
  batch: Address,
  after: Signature | undefined,
): Promise<[number, Signature | undefined]> {
  const { layer } = world.ledgers;
  let units = 0n;
  let newest: Signature | undefined;
  for (let before: Signature | undefined; ; ) {
    const found = await layer
      .getSignaturesForAddress(batch, {
        ...(after === undefined ? {} : { until: after }),
        ...(before === undefined ? {} : { before }),
        limit: PAGE,
      })
      .send();
    for (const { signature } of found) {
      const transaction = await layer
        .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
        .send();
      units += transaction?.meta?.computeUnitsConsumed ?? 0n;
    }
    newest ??= found[0]?.signature;
    before = found.at(-1)?.signature;
    if (found.length < PAGE) return [Number(units), newest ?? after];
  }
}

/** Transactions that the base ledger has taken since an instant, in unix milliseconds, whoever sent them. */
export async function baseTransactions(world: World, since: number): Promise<number> {
  let count = 0;
  for await (const { at } of world.localnet.admin.listTransactions()) if (at >= since) count += 1;
  return count;
}

/** Lamports of those who pay for a window: the execution authority; the batch, which it tops up for new balances; the validator. */
export type Lamports = { readonly authority: number; readonly batch: number; readonly validator: number };

export async function lamportsOf(world: World, batch: Address): Promise<Lamports> {
  const balance = async (address: Address) =>
    Number((await world.ledgers.base.getBalance(address, { commitment: 'confirmed' }).send()).value);
  return {
    authority: await balance(world.authority.address),
    batch: await balance(batch),
    validator: await balance(world.localnet.validatorIdentity),
  };
}

/** Milliseconds in which the layer answers a look for withdrawals when there are none, as the coordinator takes it all the time. */
export async function lookForWithdrawals(world: World): Promise<number> {
  const filters = WITH_ATTENTION.map(({ at, bytes }) => ({
    memcmp: {
      offset: BigInt(at),
      bytes: getBase58Decoder().decode(bytes) as Base58EncodedBytes,
      encoding: 'base58' as const,
    },
  }));
  const took: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    took.push(
      await timed(() =>
        world.ledgers.layer.getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send(),
      ),
    );
  }
  return median(took);
}
