import {
  type Address,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  type SignatureBytes,
  verifySignature,
} from '@solana/kit';
import { getSettleInstructionDataDecoder, SETTLE_DISCRIMINATOR } from './generated/index.ts';
import type { SettledWindow } from './settledWindow.ts';

/** Where `settle` names its accounts. */
const AUTHORITY = 0;
const SCHEDULE = 2;
const VAULT = 4;
const MINT = 8;

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
    if (keys[programAddressIndex] !== window.program || data?.[0] !== SETTLE_DISCRIMINATOR) continue;
    const account = (place: number) => keys[accountIndices[place] ?? Number.NaN];
    const authority = account(AUTHORITY);
    const isOurs =
      account(SCHEDULE) === window.schedule && account(VAULT) === window.vault && account(MINT) === window.mint;
    if (!isOurs || getSettleInstructionDataDecoder().decode(data).window !== window.window) continue;
    if (authority !== undefined && authority in signatures) return authority;
  }
  return undefined;
}
