import { createHash } from 'node:crypto';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../addresses.ts';
import { type AccountState, closedAccount } from './account.ts';
import { type DecodedTransaction, decodeTransaction } from './transaction.ts';

/** 500 million SOL, in lamports. */
const FAUCET_LAMPORTS = 500_000_000_000_000_000n;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SYSTEM_TRANSFER = 2;
const BASE_COMPUTE_UNITS = 10_000;
const COMPUTE_UNIT_VARIANTS = 1_000_000;

/** Pays airdrops by real transactions, so that they show in the history like any other. */
export class Faucet {
  #sent = 0;

  private constructor(private readonly signer: KeyPairSigner) {}

  /** The faucet; its key is the same everywhere, and worth nothing outside a localnet. */
  static async open(): Promise<Faucet> {
    const seed = createHash('sha256').update('localnet faucet').digest();
    return new Faucet(await createKeyPairSignerFromPrivateKeyBytes(seed));
  }

  /** The faucet's account before any airdrop. */
  get account(): AccountState {
    return { ...closedAccount(this.signer.address), lamports: FAUCET_LAMPORTS };
  }

  /** A signed transfer from the faucet. */
  async transfer(destination: Address, lamports: bigint, blockhash: string): Promise<DecodedTransaction> {
    const limit = Buffer.alloc(5);
    limit.writeUInt8(SET_COMPUTE_UNIT_LIMIT, 0);
    // The limit differs each time: two equal airdrops under one blockhash would else be one and the same transaction.
    limit.writeUInt32LE(BASE_COMPUTE_UNITS + (this.#sent++ % COMPUTE_UNIT_VARIANTS), 1);
    const amount = Buffer.alloc(12);
    amount.writeUInt32LE(SYSTEM_TRANSFER, 0);
    amount.writeBigUInt64LE(lamports, 4);
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayerSigner(this.signer, m),
      (m) =>
        setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }, m),
      (m) =>
        appendTransactionMessageInstructions(
          [
            { programAddress: COMPUTE_BUDGET_PROGRAM, data: limit },
            {
              programAddress: SYSTEM_PROGRAM,
              accounts: [
                { address: this.signer.address, role: AccountRole.WRITABLE_SIGNER },
                { address: destination, role: AccountRole.WRITABLE },
              ],
              data: amount,
            },
          ],
          m,
        ),
    );
    const signed = await signTransactionMessageWithSigners(message);
    return decodeTransaction(new Uint8Array(getTransactionEncoder().encode(signed)));
  }
}
