import {
  askLayer,
  authorisationInstruction,
  expiryFrom,
  type Ledgers,
  openPersonalInstruction,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PrivateBalance,
  personalNamed,
  readingMessage,
  requestWithdrawalInstructions,
  SALT_BYTES,
  showBalance,
  showBalanceInstruction,
  signedInstruction,
  systemTime,
} from '@payouts/client';
import {
  type Address,
  createNoopSigner,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { OTHER_PROGRAMS, OWN_PROGRAMS } from '../../layerPrograms.ts';
import type { EvidenceWriter, LayerLine } from '../evidence.ts';

const PROGRAM = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const MOST_TRANSACTIONS = 1_000;
/** Seconds for which an old signature held no more. */
const OLD = 60n;

/** Somebody's balance, what it holds, and their key, with which the layer would show it. */
export type Victim = { readonly signer: KeyPairSigner; readonly balance: PrivateBalance; readonly amount: bigint };

/** An account as the layer shows it. */
type Shown = { readonly owner: string; readonly data: readonly [string, string] };

/** A stranger whom the execution layer lets in, who looks at all that it shows them; what that is becomes evidence. */
export class Stranger {
  /** What each account showed last. */
  readonly #seen = new Map<string, string>();
  #looks = 0;

  constructor(
    private readonly ledgers: Ledgers,
    private readonly signer: KeyPairSigner,
    private readonly evidence: EvidenceWriter,
  ) {}

  /** Looks at every account of the programs that matter most, and of one of the others, in turn: there are thousands of those. */
  async look(): Promise<void> {
    const other = OTHER_PROGRAMS[this.#looks++ % OTHER_PROGRAMS.length] as Address;
    for (const program of [...OWN_PROGRAMS, other]) {
      const found = await this.ledgers.layer.getProgramAccounts(program, { encoding: 'base64' }).send();
      for (const { pubkey, account } of found) this.#note(pubkey, account);
    }
  }

  /** Looks at accounts whose addresses they know. */
  async lookAt(addresses: readonly Address[]): Promise<void> {
    const { value } = await this.ledgers.layer.getMultipleAccounts([...addresses], { encoding: 'base64' }).send();
    for (const [place, account] of value.entries()) {
      if (account) this.#note(addresses[place] as Address, account);
    }
  }

  /** Asks for all transactions that named these accounts. */
  async askForHistory(addresses: readonly Address[]): Promise<void> {
    const { layer } = this.ledgers;
    for (const address of addresses) {
      const options = { limit: MOST_TRANSACTIONS } as const;
      const found = await layer
        .getSignaturesForAddress(address, options)
        .send()
        .catch(() => []);
      for (const { signature } of found) {
        const how = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
        const shown = await layer
          .getTransaction(signature, how)
          .send()
          .catch(() => null);
        if (shown) this.#write({ at: Date.now(), kind: 'transaction', transaction: shown.transaction[0] });
      }
    }
  }

  /**
   * Asks in every way that takes no key for balances of which they know whose they are and where, but not the secret that makes their owners:
   * `isKnown`: that, too. Throws unless their own recipients are shown them: then the others' silence means something.
   */
  async askForBalances(victims: readonly Victim[], executionAuthority: Address): Promise<void> {
    for (const { signer, balance, amount } of victims) {
      if ((await showBalance(this.ledgers, signer, balance)).amount !== amount)
        throw new Error('A balance is not shown.');
      for (const [how, instructions] of Object.entries(await this.#waysTo(signer, balance, executionAuthority))) {
        const answer = await askLayer(this.ledgers, instructions).catch(() => new Uint8Array(0));
        const returned = answer.length === 0 ? null : String(new DataView(answer.buffer).getBigUint64(0, true));
        const { recipient, mint } = balance;
        this.#write({ at: Date.now(), kind: 'asked', how, recipient, mint, returned });
      }
    }
  }

  async #waysTo(
    victim: KeyPairSigner,
    balance: PrivateBalance,
    executionAuthority: Address,
  ): Promise<Record<string, readonly Instruction[]>> {
    const { owner } = ownerRecord(balance);
    const { recipient } = balance;
    const until = expiryFrom(systemTime);
    const show = showBalanceInstruction(balance);
    const message = readingMessage(PROGRAM, owner, until);
    const elsewhere = ownerRecord({ ...balance, delivery: 'wallet' }).owner;
    const other = await generateKeyPairSigner();
    const guessed = { ...balance, salt: new Uint8Array(16).fill(1) };
    // Simulations need no signatures: whoever signs in them is only said to.
    const signer = createNoopSigner(recipient);
    return {
      'without a signature': [show],
      "with the stranger's signature": [await signedInstruction(this.signer, message), show],
      'with a signature that is none': [
        authorisationInstruction({ recipient, signature: new Uint8Array(64).fill(7), message }),
        show,
      ],
      'with an old signature': [
        await signedInstruction(victim, readingMessage(PROGRAM, owner, until - 300n - OLD)),
        show,
      ],
      'with a signature for another balance': [
        await signedInstruction(victim, readingMessage(PROGRAM, elsewhere, until)),
        show,
      ],
      'as if it were their own': [
        await signedInstruction(
          other,
          readingMessage(PROGRAM, ownerRecord({ ...balance, recipient: other.address }).owner, until),
        ),
        showBalanceInstruction({ ...balance, recipient: other.address }),
      ],
      'by a withdrawal that nobody signs, without the secret': [
        await openPersonalInstruction({
          ...{ signer, balance: guessed, executionAuthority },
          ...{ isPrivate: false, personal: personalNamed(balance.mint, new Uint8Array(SALT_BYTES), 1) },
        }),
        ...(await requestWithdrawalInstructions({
          ...{ signer, personal: balance.page, page: balance.page, mint: balance.mint },
          ...{ amount: 1n, wallet: recipient },
        })),
      ],
    };
  }

  #note(address: string, { owner: program, data: [data] }: Shown): void {
    if (this.#seen.get(address) === data) return;
    this.#seen.set(address, data);
    this.#write({ at: Date.now(), kind: 'account', address, program, data });
  }

  #write(line: LayerLine): void {
    this.evidence.note('layer', line);
  }
}
