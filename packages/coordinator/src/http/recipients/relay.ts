import {
  type Balance,
  EPHEMERAL_VAULT_ADDRESS,
  findCounterAddress,
  findPoolAddress,
  findRecoveryAddress,
  MAGIC_PROGRAM_ADDRESS,
  type ProgramErrorName,
  readRecovery,
  recipientSentence,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Problem } from '../../domain/problems.ts';
import { balanceOf, recoveryOf } from '../../ledger/accounts.ts';
import type { ExecutionLayer } from '../../ledger/ledger.ts';
import { programErrorName } from '../../ledger/programErrors.ts';
import { notTheirs } from './own.ts';
import type { BalanceUse, OwnTransaction } from './transaction.ts';

/** Milliseconds that a transaction's end is waited for, and between two looks. */
const WITHIN_MS = 8_000;
const LOOK_MS = 10;
const MS_PER_SECOND = 1_000;

export type RelayInput = {
  readonly layer: ExecutionLayer;
  readonly program: Address;
  readonly time: Time;
  readonly draining: AbortSignal;
};

/**
 * Checks that every balance is the recipient's own who has authorised its use, or one that their wallet may recover, and that the other
 * accounts are those of the balance and its token. Throws `not-permitted`, in the same words for one that is somebody else's and one that
 * is nowhere, `invalid-transaction`, or `RunError` when the layer can't be read.
 */
export async function checkBalances({ layer, program, time }: RelayInput, { uses }: OwnTransaction): Promise<void> {
  const recoveries = await Promise.all(
    uses.map(({ balance }) => findRecoveryAddress(balance, { programAddress: program })),
  );
  const { accounts } = await layer.accounts([...uses.map(({ balance }) => balance), ...recoveries]);
  const now = BigInt(Math.floor(time.now() / MS_PER_SECOND));
  for (const [place, use] of uses.entries()) {
    const balance = balanceOf(accounts[place], program);
    const recovery = recoveryOf(accounts[uses.length + place], program);
    const wallet = recovery && readRecovery(use.balance, recovery, now).wallet;
    if (balance === undefined || use.owner !== (use.by === 'recipient' ? balance.recipient : wallet)) throw notTheirs();
    await checkNamed(use, { balance, recovery: recoveries[place] as Address, program });
  }
}

/** What a use of a balance names beside it, as the program derives it. */
async function checkNamed(
  { accounts: named }: BalanceUse,
  { balance, recovery, program }: { readonly balance: Balance; readonly recovery: Address; readonly program: Address },
): Promise<void> {
  const deployment = { programAddress: program };
  const expected = {
    counter: await findCounterAddress(balance.mint, deployment),
    pool: await findPoolAddress(balance.mint, deployment),
    recovery,
    magicProgram: MAGIC_PROGRAM_ADDRESS,
    ephemeralVault: EPHEMERAL_VAULT_ADDRESS,
  };
  for (const [name, address] of Object.entries(named)) {
    if (address === expected[name as keyof typeof expected]) continue;
    throw new Problem(
      'invalid-transaction',
      'An instruction names an account that is not its balance’s or its token’s.',
    );
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
