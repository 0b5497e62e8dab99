import { type Address, createKeyPairSignerFromPrivateKeyBytes, type MessagePartialSigner } from '@solana/kit';
import type { Deployment } from '../accounts/addresses.ts';
import { addressToBytes } from '../accounts/base58.ts';
import { concatenate } from '../bytes.ts';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { repeatedSignature } from '../http/authorisation.ts';
import { ClientError } from '../http/clientError.ts';

/** Keeps what is derived here apart from whatever else somebody may derive from a signature: HKDF's salt. */
const PURPOSE = new TextEncoder().encode('payouts/fresh-wallets/v1');
const KEY_BITS = 256;
/** Wallets of one row at most: an index has four bytes. */
const MOST_WALLETS = 2 ** 32;
/** Unused wallets after which nobody looks for more: as coordinators forget what is old, the first ones may look unused. */
export const WALLET_GAP = 256;

/** A fresh wallet: its index in its owner's row, from 0 on, and its address. */
export type FreshWallet = { readonly index: number; readonly address: Address };

/**
 * Somebody's row of fresh wallets: ordinary keys of Solana's, of which nobody can tell that two are one person's. All follow from one
 * signature of theirs; this keeps what they follow from, out of reach, and nothing is written anywhere.
 */
export type FreshWallets = {
  readonly at: (index: number) => Promise<FreshWallet>;
  /** The key of one, 64 bytes as wallets import it: the private key, then the public one. Secret. */
  readonly keyOf: (index: number) => Promise<Uint8Array>;
};

/** The text whose signature a row of fresh wallets follows from. It never changes: another text would be another row. */
export function freshWalletsMessage({ programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS }: Deployment = {}): Uint8Array {
  const lines = [
    'Payouts: make my fresh wallets',
    '',
    'Whoever has this signature can spend everything in your fresh wallets. Sign this only where you take out your payouts, and nowhere else.',
    '',
    `Program: ${programAddress}`,
    'Version: 1',
  ];
  return new TextEncoder().encode(lines.join('\n'));
}

/**
 * The row of fresh wallets of whoever signs, the same each time: HKDF with SHA-256 (RFC 5869) of their signature, one key for each index. They
 * sign twice, since a signature that is another one each time would give wallets that nobody finds again.
 *
 * @throws `SIGNATURE_MISSING` where the text is not signed, `SIGNATURES_DIFFER` where the two signatures are not the same
 */
export async function freshWalletsOf(signer: MessagePartialSigner, deployment: Deployment = {}): Promise<FreshWallets> {
  const signature = await repeatedSignature(
    signer,
    freshWalletsMessage(deployment),
    'so fresh wallets made from it could not be found again. Name the wallets yourself, or use',
  );
  const secret = await crypto.subtle.importKey('raw', signature, 'HKDF', false, ['deriveBits']);
  const privateKeyOf = async (index: number): Promise<Uint8Array> =>
    new Uint8Array(
      await crypto.subtle.deriveBits(
        { name: 'HKDF', hash: 'SHA-256', salt: PURPOSE, info: indexBytes(index) },
        secret,
        KEY_BITS,
      ),
    );
  const addressOf = async (privateKey: Uint8Array): Promise<Address> =>
    (await createKeyPairSignerFromPrivateKeyBytes(privateKey)).address;
  return {
    at: async (index) => ({ index, address: await addressOf(await privateKeyOf(index)) }),
    keyOf: async (index) => {
      const privateKey = await privateKeyOf(index);
      return concatenate([privateKey, addressToBytes(await addressOf(privateKey))]);
    },
  };
}

/** Four bytes, the highest first. */
function indexBytes(index: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(index) || index < 0 || index >= MOST_WALLETS) {
    throw new ClientError('INVALID_RANGE', `A fresh wallet has an index from 0 to ${MOST_WALLETS - 1}.`);
  }
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, index);
  return bytes;
}

/** What is used of a row, in order, and the index behind the last of them: from there on no wallet has ever been seen. */
export type RowUse = { readonly used: readonly FreshWallet[]; readonly next: number };

/** Looks for those of a row that are among these wallets, until so many one after the other are not. */
export async function findUsed(
  wallets: Pick<FreshWallets, 'at'>,
  among: ReadonlySet<Address>,
  gap: number = WALLET_GAP,
): Promise<RowUse> {
  const used: FreshWallet[] = [];
  let next = 0;
  for (let index = 0; index < next + gap; index += 1) {
    const wallet = await wallets.at(index);
    if (!among.has(wallet.address)) continue;
    used.push(wallet);
    next = index + 1;
  }
  return { used, next };
}
