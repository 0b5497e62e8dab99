import {
  type Address,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { readSettlement } from '../transactions/instructions.ts';
import type { SettledWindow } from './window.ts';

/** What is wrong with a window's settlement transaction, each as a sentence, and who signed it as the execution authority. */
export type SettlementFaults = { readonly settlement: readonly string[]; readonly signer: Address | undefined };

const UNREADABLE = ["The settlement's transaction can't be read."];

/** Checks that the transaction carries the signature by which the ledger knows it, and settles this window. Needs no network. */
export async function settlementFaults(window: SettledWindow): Promise<SettlementFaults> {
  const { signature, transaction } = window.settlement;
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(transaction);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    const [payer] = message.staticAccounts as [Address];
    const bytes = signatures[payer];
    const faults: string[] = [];
    if (bytes == null || getBase58Decoder().decode(bytes) !== signature) {
      faults.push("The settlement's signature is not that of its transaction.");
    }
    for (const [signer, made] of Object.entries(signatures)) {
      if (!(await hasSigned(signer as Address, made, messageBytes as unknown as Uint8Array))) {
        faults.push("The settlement's transaction is not signed as it stands.");
      }
    }
    const signer = settlerOf(message, window, signatures);
    if (signer === undefined) faults.push("The settlement's transaction does not settle this window.");
    return { settlement: faults, signer };
  } catch {
    return { settlement: UNREADABLE, signer: undefined };
  }
}

async function hasSigned(signer: Address, made: SignatureBytes | null, message: Uint8Array): Promise<boolean> {
  return made !== null && verifySignature(await getPublicKeyFromAddress(signer), made, message);
}

type Message = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

/** The execution authority by whose instruction the transaction settles the window. */
function settlerOf(
  message: Message,
  window: SettledWindow,
  signatures: Readonly<Record<string, unknown>>,
): Address | undefined {
  if (!('instructions' in message)) return undefined;
  const keys = message.staticAccounts;
  for (const { programAddressIndex, accountIndices = [], data } of message.instructions) {
    if (keys[programAddressIndex] !== window.program || data === undefined) continue;
    const settled = readSettlement(
      data,
      accountIndices.map((index) => keys[index]),
    );
    const isOurs =
      settled?.mint === window.mint &&
      settled.windows.some(
        (one) => one.schedule === window.schedule && one.vault === window.vault && one.window === window.window,
      );
    if (isOurs && settled.authority in signatures) return settled.authority;
  }
  return undefined;
}
