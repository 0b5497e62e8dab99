import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  buildClaimTransaction,
  buildPermissionTransaction,
  type Claim,
  connect,
  type Ledgers,
  type Lifetime,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  type SignedTransaction,
  sendToBase,
  sendToLayer,
  systemTime,
} from '@payouts/client';
import { type Localnet, startLocalnet } from '@payouts/localnet';
import {
  type Address,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
  lamports,
  type Signature,
} from '@solana/kit';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WITHIN_MS = 30_000;
const EVERY_MS = 25;
/** What any instruction of the compute budget program takes. */
const COMPUTE_BUDGET_UNITS = 150;
/** The execution layer's limit for one transaction. */
const COMPUTE_UNIT_LIMIT = 1_400_000;

/** Compute units that the program used in a transaction, what it called included: from the log, so without the transaction's own. */
export function unitsIn(logs: readonly string[]): number {
  const consumed = new RegExp(`^Program ${PAYOUT_LEDGER_PROGRAM_ADDRESS} consumed (\\d+) of`);
  return logs.reduce((sum, line) => sum + Number(consumed.exec(line)?.[1] ?? 0), 0);
}

/** Looks until there is something to see. */
export async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Both ledgers, real and alone, with keys that have lamports; and how many compute units each transaction took. */
export class Chain {
  readonly localnet: Localnet;
  readonly ledgers: Ledgers;
  readonly #folder: string;

  private constructor(localnet: Localnet, folder: string) {
    this.localnet = localnet;
    this.ledgers = connect(localnet, systemTime);
    this.#folder = folder;
  }

  static async start(upgradeAuthority: Address): Promise<Chain> {
    const folder = await mkdtemp(join(tmpdir(), 'payouts-cost-'));
    const path = join(root, 'program', 'payouts.so');
    const localnet = await startLocalnet({
      directory: folder,
      programs: [
        { address: PAYOUT_LEDGER_PROGRAM_ADDRESS, path, upgradeAuthority },
        // The published one is too old for what is measured; its stand-in takes its place.
        { address: PERMISSION_PROGRAM_ADDRESS, path: join(root, 'test', 'program', 'permission-program.so') },
      ],
      time: systemTime,
    });
    return new Chain(localnet, folder);
  }

  async stop(): Promise<void> {
    await this.localnet.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async fund(address: Address): Promise<void> {
    await this.ledgers.base.requestAirdrop(address, lamports(1_000_000_000_000n)).send();
  }

  async key(): Promise<KeyPairSigner> {
    const key = await generateKeyPairSigner();
    await this.fund(key.address);
    return key;
  }

  /** Compute units of an instruction on the base ledger; what comes before it in the same transaction is not counted. */
  async onBase(instructions: Instruction | readonly Instruction[], payer: KeyPairSigner): Promise<number> {
    return this.#units('base', await sendToBase(this.ledgers, [instructions].flat(), payer));
  }

  /** Compute units of an instruction in the execution layer. */
  async onLayer(instruction: Instruction, payer: KeyPairSigner): Promise<number> {
    return this.#units('layer', await sendToLayer(this.ledgers, [instruction], payer));
  }

  /** Compute units of a claim; the layer may need a moment until it has the batch. */
  claim(input: {
    readonly authority: KeyPairSigner;
    readonly config: Address;
    readonly batch: Address;
    readonly claims: readonly Claim[];
    readonly proof: readonly Uint8Array[];
  }): Promise<number> {
    return this.#executed((lifetime) =>
      buildClaimTransaction({ ...input, lifetime, computeUnitLimit: COMPUTE_UNIT_LIMIT }),
    );
  }

  /** Compute units of setting read permissions in an open window: its own, and those of balances. */
  permit(input: {
    readonly authority: KeyPairSigner;
    readonly config: Address;
    readonly batch: Address;
    readonly ofBatch: boolean;
    readonly balances: readonly Claim[];
  }): Promise<number> {
    const programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS;
    return this.#executed((lifetime) =>
      buildPermissionTransaction({ ...input, lifetime, programAddress, computeUnitLimit: COMPUTE_UNIT_LIMIT }),
    );
  }

  #executed(build: (lifetime: Lifetime) => Promise<SignedTransaction>): Promise<number> {
    return until(async () => {
      const { value: lifetime } = await this.ledgers.layer.getLatestBlockhash().send();
      const { wire, signature } = await build(lifetime);
      await this.ledgers.layer.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
      const status = await until(
        async () => (await this.ledgers.layer.getSignatureStatuses([signature]).send()).value[0] ?? undefined,
        'a transaction to be executed',
      );
      if (status.err !== null) return undefined;
      // The log of many creations is cut before its end, so the transaction's own count is taken, less what sets the limit.
      const { meta } = await this.#find('layer', signature);
      return Number(meta?.computeUnitsConsumed ?? 0n) - COMPUTE_BUDGET_UNITS;
    }, 'a transaction to succeed');
  }

  async #units(ledger: 'base' | 'layer', signature: Signature): Promise<number> {
    return unitsIn((await this.#find(ledger, signature)).meta?.logMessages ?? []);
  }

  #find(ledger: 'base' | 'layer', signature: Signature) {
    return until(
      async () =>
        (await this.ledgers[ledger]
          .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
          .send()) ?? undefined,
      'a transaction to be found',
    );
  }

  /** Compute units of the program in the newest base transaction that named the account and logged this event's instruction. */
  async calledByValidator(account: Address, after: number): Promise<number> {
    return until(async () => {
      let units: number | undefined;
      for await (const transaction of this.localnet.admin.listTransactions()) {
        if (transaction.at < after || transaction.err !== null || !transaction.accountKeys.includes(account)) continue;
        if (transaction.accountKeys[0] !== this.localnet.validatorIdentity) continue;
        units = unitsIn(transaction.logMessages) || units;
      }
      return units;
    }, 'the validator to call the program');
  }
}
