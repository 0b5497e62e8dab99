import { patientRpc, sendToBase, type Time, TransactionFailed } from '@payouts/client';
import { AccountRole, address, type Instruction, type TransactionSigner } from '@solana/kit';
import type { Settings } from '../../config/specs.ts';
import type { Authority } from '../../config/vault.ts';
import { type CheckResult, checkWithin, passed } from './checkResult.ts';

/** Milliseconds that the base ledger is given to take a transaction: most clusters take one or two seconds. */
const WITHIN_MS = 30_000;
/** Lamports without which nobody can send; the check of the balance says so. */
const FEE_LAMPORTS = 5_000n;
const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
/** The system program's transfer: its number, and an amount of 1 lamport. */
const TRANSFER = Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0);

const toItself = (signer: TransactionSigner): Instruction => {
  const sender = { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
  const receiver = { address: signer.address, role: AccountRole.WRITABLE };
  return { programAddress: SYSTEM_PROGRAM, accounts: [sender, receiver], data: TRANSFER };
};

/** Whether what is sent to the base ledger lands there, by a transfer of the execution authority to itself. */
export async function checkSending(
  settings: Settings,
  authority: Authority | undefined,
  time: Time,
): Promise<CheckResult[]> {
  if (authority === undefined) return [];
  const base = patientRpc(settings.baseRpcUrl, time);
  const balance = await base
    .getBalance(authority.address)
    .send()
    .catch(() => undefined);
  if (balance === undefined || balance.value < FEE_LAMPORTS) return [];
  const fees = { floor: BigInt(settings.priorityFeeFloor), cap: BigInt(settings.priorityFeeCap) };
  return checkWithin(
    time,
    async () => {
      const sending = { commitment: 'confirmed', fees } as const;
      const began = time.monotonic();
      const signature = await sendToBase({ base, time, sending }, [toItself(authority)], authority);
      const seconds = ((time.monotonic() - began) / 1_000).toFixed(1);
      return [passed(`base ledger: a transfer of the authority to itself landed within ${seconds} s (${signature})`)];
    },
    (error) =>
      error instanceof TransactionFailed
        ? `base ledger: a transfer of the authority to itself was refused: ${error.message.replace(/\.$/, '')}`
        : `base ledger: a transfer of the authority to itself did not land within ${WITHIN_MS / 1_000} s: raise PRIORITY_FEE_CAP, or name another node in BASE_RPC_URL`,
    WITHIN_MS,
  );
}
