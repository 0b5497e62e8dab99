import {
  findCounterAddress,
  findPoolAddress,
  type ProgramErrorName,
  recipientSentence,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from '../../domain/problems.ts';
import { balanceOf } from '../../ledger/accounts.ts';
import type { ExecutionLayer } from '../../ledger/ledger.ts';
import { programErrorName } from '../../ledger/programErrors.ts';
import { notTheirs } from './own.ts';
import type { OwnTransaction } from './transaction.ts';

/** Milliseconds that a transaction's end is waited for, and between two looks. */
const WITHIN_MS = 8_000;
const LOOK_MS = 10;

export type RelayInput = {
  readonly layer: ExecutionLayer;
  readonly program: Address;
  readonly time: Time;
  readonly draining: AbortSignal;
};

/**
 * Checks that every balance is the recipient's own who has authorised its use and every token's accounts are right. Throws `not-permitted`, in the same words for
 * one that is somebody else's and one that is nowhere, `invalid-transaction`, or `RunError` when the layer can't be read.
 */
export async function checkBalances({ layer, program }: RelayInput, { uses }: OwnTransaction): Promise<void> {
  const { accounts } = await layer.accounts(uses.map(({ balance }) => balance));
  for (const [place, { recipient, token }] of uses.entries()) {
    const balance = balanceOf(accounts[place], program);
    if (balance === undefined || balance.recipient !== recipient) throw notTheirs();
    if (token === undefined) continue;
    const deployment = { programAddress: program };
    const [counter, pool] = [
      await findCounterAddress(balance.mint, deployment),
      await findPoolAddress(balance.mint, deployment),
    ];
    if (token.counter !== counter || token.pool !== pool) {
      throw new Problem(
        'invalid-transaction',
        "A withdrawal names another token's counter or pool than its balance's.",
      );
    }
  }
}

/**
 * Has the layer execute a transaction, and waits for its end. The same bytes are executed once, however often they are sent. Throws
 * `transaction-refused`, `transaction-expired` or `transaction-unanswered`, or `RunError` when the layer can't be reached.
 */
export async function relay({ layer, time, draining }: RelayInput, { wire, signature }: OwnTransaction): Promise<void> {
  const isExecuted = async () => {
    const [status] = await layer.statuses([signature]);
    if (!status) return false;
    if (status.err !== null) throw refused(programErrorName(status.err));
    return true;
  };
  if (await isExecuted()) return;
  const answer = await layer.send(wire);
  if (answer.kind === 'refused') {
    if (answer.err === 'BlockhashNotFound') {
      throw new Problem('transaction-expired', 'The layer does not know its blockhash any more: sign it anew.');
    }
    throw refused(programErrorName(answer.err, answer.logs));
  }
  const deadline = time.now() + WITHIN_MS;
  while (time.now() < deadline && !draining.aborted) {
    if (await isExecuted()) return;
    await time.pause(LOOK_MS, draining).catch(() => {});
  }
  throw new Problem('transaction-unanswered', 'The layer has not said what became of it: send the same bytes again.');
}

function refused(name: ProgramErrorName | undefined): Problem {
  if (name === undefined) return new Problem('transaction-refused', 'The execution layer has refused it.');
  return new Problem('transaction-refused', recipientSentence(name), { reason: name });
}
