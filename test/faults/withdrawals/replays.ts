import { setTimeout as sleep } from 'node:timers/promises';
import {
  buildTransaction,
  findPageAddress,
  getConfirmWithdrawalInstructionAsync,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  sendToBase,
} from '@payouts/client';
import type { TransactionRecord } from '@payouts/localnet';
import { lastProof } from '@payouts/testing/withdrawalProofs';
import {
  type Address,
  type Base64EncodedWireTransaction,
  decompileTransactionMessage,
  generateKeyPairSigner,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  isSignerRole,
  type KeyPairSigner,
  type TransactionSigner,
} from '@solana/kit';
import type { BalanceWatch } from './balances.ts';
import type { Stage } from './stage.ts';

const STORM_MS = 150;
const COMPUTE_UNITS = 400_000;
/** Paid withdrawals that a stranger tries to have paid again, at most. */
const REBUILT = 50;

/** Transactions that changed the pool's token account by a payout. */
export async function payouts({ world, pool }: Stage): Promise<TransactionRecord[]> {
  const found: TransactionRecord[] = [];
  for await (const record of world.localnet.admin.listTransactions()) {
    const isPayout =
      record.accountKeys.includes(pool) &&
      record.innerInstructions.length > 0 &&
      record.logMessages.some((line) => line.startsWith(`Program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} invoke [2]`));
    if (isPayout) found.push(record);
  }
  return found;
}

/** Sends the base ledger every payout again: byte for byte, and some as a stranger would build them. Returns how many were sent. */
export async function replayPayouts(stage: Stage): Promise<number> {
  const { base } = stage.world.ledgers;
  const paid = (await payouts(stage)).filter(({ err }) => err === null);
  for (const { transaction } of paid) {
    await base
      .sendTransaction(transaction as Base64EncodedWireTransaction, { encoding: 'base64', skipPreflight: true })
      .send()
      .catch(() => {});
  }
  const stranger = await generateKeyPairSigner();
  await stage.world.fund(stranger.address);
  for (const { transaction } of paid.slice(-REBUILT)) {
    const isTaken = await sendToBase(stage.world.ledgers, signedBy(stranger, transaction), stranger).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new Error('the base ledger took a payout from a stranger');
  }
  return paid.length + Math.min(paid.length, REBUILT);
}

/** A transaction's instructions with another one's signature in place of each. */
function signedBy(signer: TransactionSigner, transaction: string): Instruction[] {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  return (message.instructions as readonly Instruction[]).map((instruction) => ({
    ...instruction,
    accounts: (instruction.accounts ?? []).map((account) =>
      isSignerRole(account.role) ? { ...account, address: signer.address, signer } : account,
    ),
  }));
}

/**
 * Confirms withdrawals under way again and again, as coordinators would that don't know of each other, and as strangers. Returns how many
 * confirmations were sent.
 */
export async function confirmAll(stage: Stage, watch: BalanceWatch, over: AbortSignal): Promise<number> {
  const stranger = await generateKeyPairSigner();
  let sent = 0;
  while (!over.aborted) {
    const pending = stage.people.flatMap((person) => {
      const { personal, underWay = [] } = watch.of(person) ?? {};
      if (personal === undefined) return [];
      return underWay.filter(({ number }) => number !== 0n).map((each) => ({ personal: personal.address, ...each }));
    });
    if (pending.length > 0) {
      const one = stage.random.pick(pending);
      const { authority } = stage.world;
      for (const by of [authority, authority, stranger]) {
        sent += 1;
        await confirm(stage, by, one, COMPUTE_UNITS + sent).catch(() => {});
      }
    }
    await sleep(STORM_MS);
  }
  return sent;
}

async function confirm(
  { world, employer }: Stage,
  authority: KeyPairSigner,
  { personal, number, id }: { readonly personal: Address; readonly number: bigint; readonly id: number },
  computeUnitLimit: number,
): Promise<void> {
  const { layer } = world.ledgers;
  const { mint } = employer;
  const { value: lifetime } = await layer.getLatestBlockhash().send();
  const instruction = await getConfirmWithdrawalInstructionAsync({
    ...{ authority, personal, mint, id },
    page: await findPageAddress(mint, number),
    proven: await lastProof(layer, personal, id),
  });
  const { wire } = await buildTransaction({
    feePayer: authority,
    instructions: [instruction],
    lifetime,
    computeUnitLimit,
  });
  await layer.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
}
