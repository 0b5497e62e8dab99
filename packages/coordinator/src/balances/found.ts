import type { Kysely } from 'kysely';
import { amountsOf, BLOCK_RECIPIENTS, deliveriesOf } from '../domain/listRecords.ts';
import type { FindBalances, ListBalances } from '../owed/look.ts';
import { DecryptionFailed } from '../store/cipher.ts';
import { WrongPayloadKey } from '../store/payloadKeys.ts';
import { findList } from '../store/queries/lists.ts';
import type { Tables } from '../store/schema.ts';
import { balanceAt } from './derive.ts';
import type { Payables } from './payables.ts';

/** Balances remembered, at 42 bytes each with their payments; the lists that were asked for longest ago give way. */
const MOST = 500_000;

/** Finds the balances of registered lists, and remembers them: each window of a schedule asks for the same. */
export function balanceFinder(database: Kysely<Tables>, payables: Pick<Payables, 'blocks'>): FindBalances {
  const remembered = new Map<string, ListBalances>();
  let total = 0;

  const remember = (name: string, list: ListBalances) => {
    remembered.set(name, list);
    total += list.count;
    for (const [oldest, { count }] of remembered) {
      if (total <= MOST || oldest === name) break;
      remembered.delete(oldest);
      total -= count;
    }
  };
  return async (schedule, root) => {
    const name = `${schedule} ${root}`;
    const known = remembered.get(name);
    if (known !== undefined) {
      remembered.delete(name);
      remembered.set(name, known);
      return known;
    }
    const list = await findList(database, schedule, root);
    if (list === undefined) return undefined;
    try {
      const found = listBalances(await payables.blocks(list));
      if (!remembered.has(name)) remember(name, found);
      return found;
    } catch (error) {
      if (error instanceof WrongPayloadKey || error instanceof DecryptionFailed) return undefined;
      throw error;
    }
  };
}

function listBalances({ records, balances }: Awaited<ReturnType<Payables['blocks']>>): ListBalances {
  const amounts = BigUint64Array.from(records.blocks.flatMap(amountsOf));
  const deliveries = Uint8Array.from(records.blocks.flatMap(deliveriesOf));
  return {
    count: records.count,
    at: (index) =>
      balanceAt(balances[Math.floor(index / BLOCK_RECIPIENTS)] as Uint8Array, index % BLOCK_RECIPIENTS).address,
    amountAt: (index) => amounts[index] as bigint,
    isDelivered: (index) => deliveries[index] !== 0,
  };
}
