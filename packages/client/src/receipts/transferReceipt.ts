import type { Address, MessagePartialSigner } from '@solana/kit';
import { toHex } from '#platform';
import { addressToBytes } from '../accounts/base58.ts';
import { concatenate, isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { JsonFields } from '../http/jsonFields.ts';
import { HASH_BYTES, sha256 } from '../merkle/hash.ts';
import { ownerRecord, SALT_BYTES } from '../merkle/owner.ts';
import { ownerOfPaymentCode, paymentCodeOf } from '../recipients/paymentCode.ts';
import { type Issued, isIssued, issued, statementBytes, symbolFrom } from './issued.ts';

const HEADING = 'payouts private transfer 1';
/** Before what is hashed to a payer's mark. */
const MARKED = Uint8Array.of(12);

/** Which side of a private transfer a receipt is for. */
export type TransferSide = 'payer' | 'payee';

/** What is signed of a private transfer: to both sides the same, and it names neither; the amount in base units. */
export type TransferStatement = {
  readonly program: Address;
  readonly mint: Address;
  readonly decimals: number;
  readonly symbol: string | null;
  readonly amount: bigint;
  readonly paymentCode: string;
  /** Hash of who has paid and of a secret that is another one for each transfer: `payerMark`. */
  readonly payer: Uint8Array;
  /** Unix milliseconds. */
  readonly madeAt: number;
};

/** A statement as the execution authority has signed it. */
export type SignedTransfer = TransferStatement & Issued;

/** What shows whose side of a transfer one was; private. */
export type TransferOpening = {
  readonly side: TransferSide;
  readonly recipient: Address;
  /** 16 bytes: of a payer, what their mark is made with; of a payee, the salt of their code's balance. */
  readonly secret: Uint8Array;
};

/** What proves a private transfer to whoever is given it, without the execution layer, the coordinator or a network. Private. */
export type TransferReceipt = { readonly transfer: SignedTransfer; readonly opening: TransferOpening };

/** H(0x0c ‖ recipient 32 ‖ secret 16): who has paid, for whoever is told the secret. */
export const payerMark = (recipient: Address, secret: Uint8Array): Uint8Array =>
  sha256(concatenate([MARKED, addressToBytes(recipient), secret]));

const statement = (transfer: TransferStatement): Uint8Array =>
  statementBytes(HEADING, [
    transfer.program,
    transfer.mint,
    transfer.decimals,
    transfer.symbol ?? '',
    transfer.amount,
    transfer.paymentCode,
    toHex(transfer.payer),
    transfer.madeAt,
  ]);

/** Signs that a private transfer was made. Throws `SIGNATURE_MISSING`. */
export async function signTransfer(transfer: TransferStatement, issuer: MessagePartialSigner): Promise<SignedTransfer> {
  return { ...transfer, ...(await issued(statement(transfer), issuer)) };
}

/**
 * What is wrong with a receipt, each as a sentence that names nothing private; none: it is sound. Needs no network.
 *
 * @param authority the execution authority, where the verifier knows it; without it, anybody may have issued this
 */
export async function transferFaults({ transfer, opening }: TransferReceipt, authority?: Address): Promise<string[]> {
  const faults: string[] = [];
  if (authority !== undefined && authority !== transfer.issuer) {
    faults.push('The issuer is not the execution authority that was named.');
  }
  if (transfer.amount === 0n) faults.push('A transfer of nothing is none.');
  if (!(await isIssued(statement(transfer), transfer)))
    faults.push("The receipt's fields are not what the issuer signed.");
  if (!isOpened(transfer, opening)) {
    faults.push(opening.side === 'payer' ? 'Somebody else has paid.' : 'The payment code is somebody else’s.');
  }
  return faults;
}

function isOpened({ payer, paymentCode }: TransferStatement, { side, recipient, secret }: TransferOpening): boolean {
  if (side === 'payer') return isSameBytes(payerMark(recipient, secret), payer);
  return paymentCodeOf(ownerRecord({ recipient, salt: secret, delivery: 'balance' }).owner) === paymentCode;
}

/** A receipt of a private transfer as JSON. */
export type TransferReceiptJson = ReturnType<typeof transferReceiptToJson>;

/** Writes a receipt: 64-bit numbers as decimal text, bytes as hexadecimal. */
export function transferReceiptToJson({ transfer, opening }: TransferReceipt) {
  return {
    transferReceipt: 1 as const,
    transfer: {
      program: transfer.program as string,
      mint: transfer.mint as string,
      decimals: transfer.decimals,
      symbol: transfer.symbol,
      amount: transfer.amount.toString(),
      paymentCode: transfer.paymentCode,
      payer: toHex(transfer.payer),
      madeAt: transfer.madeAt,
      issuer: transfer.issuer as string,
      signature: transfer.signature,
    },
    opening: { side: opening.side, recipient: opening.recipient as string, secret: toHex(opening.secret) },
  };
}

const NAMES = [
  'program',
  'mint',
  'decimals',
  'symbol',
  'amount',
  'paymentCode',
  'payer',
  'madeAt',
  'issuer',
  'signature',
];

/** Whether JSON says that it is the receipt of a private transfer. */
export const isTransferReceipt = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'transferReceipt' in json;

/** A receipt from a source that is not trusted, as `transferReceiptToJson` writes it. Throws `INVALID_RECEIPT`, naming the field. */
export function transferReceiptFromJson(json: unknown): TransferReceipt {
  const refuse = (what: string) =>
    new ClientError('INVALID_RECEIPT', `This is no receipt of a private transfer: ${what}.`);
  const fields = new JsonFields(json, '', ['transferReceipt', 'transfer', 'opening'], refuse);
  if (fields.raw('transferReceipt') !== 1) throw refuse('"transferReceipt" is not 1, the only version there is');
  const transfer = fields.object('transfer', NAMES);
  const opening = fields.object('opening', ['side', 'recipient', 'secret']);
  return {
    transfer: {
      program: transfer.address('program'),
      mint: transfer.address('mint'),
      decimals: transfer.count('decimals'),
      symbol: symbolFrom(transfer),
      amount: transfer.u64('amount'),
      paymentCode: codeFrom(transfer.raw('paymentCode'), refuse),
      payer: transfer.bytes('payer', HASH_BYTES),
      madeAt: transfer.count('madeAt'),
      issuer: transfer.address('issuer'),
      signature: transfer.signature('signature'),
    },
    opening: {
      side: opening.text('side', ['payer', 'payee']),
      recipient: opening.address('recipient'),
      secret: opening.bytes('secret', SALT_BYTES),
    },
  };
}

/** A payment code in the one form in which it is written. */
function codeFrom(value: unknown, refuse: (what: string) => Error): string {
  try {
    return paymentCodeOf(ownerOfPaymentCode(value as string));
  } catch {
    throw refuse('"transfer.paymentCode" is no payment code');
  }
}
