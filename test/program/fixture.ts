import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as payouts from '@payouts/client';
import {
  type Address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  type Instruction,
  type KeyPairSigner,
  lamports,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getTokenDecoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';

export const PROGRAM = payouts.PAYOUT_LEDGER_PROGRAM_ADDRESS;
const DELEGATION_PROGRAM = payouts.DELEGATION_PROGRAM_ADDRESS;
const LOADER = payouts.UPGRADEABLE_LOADER_ADDRESS;
const dumps = new URL('../../node_modules/@magicblock-labs/ephemeral-validator/bin/local-dumps/', import.meta.url);

/** What a transaction came to: its logs and compute units, and the program's own error when it failed. */
export interface Outcome {
  readonly failure: string | undefined;
  readonly logs: readonly string[];
  readonly computeUnits: bigint;
}

type FixtureParts = Pick<
  Fixture,
  'programData' | 'admin' | 'authority' | 'employer' | 'stranger' | 'validator' | 'mint' | 'employerToken'
>;

/** One litesvm with the ledger program (upgradeable), the delegation program, a mint and an employer who holds tokens. */
export class Fixture {
  readonly svm = new LiteSVM();
  readonly programData: Address;
  readonly admin: KeyPairSigner;
  readonly authority: KeyPairSigner;
  readonly employer: KeyPairSigner;
  readonly stranger: KeyPairSigner;
  readonly validator: Address;
  readonly mint: Address;
  readonly employerToken: Address;

  private constructor(parts: FixtureParts) {
    this.programData = parts.programData;
    this.admin = parts.admin;
    this.authority = parts.authority;
    this.employer = parts.employer;
    this.stranger = parts.stranger;
    this.validator = parts.validator;
    this.mint = parts.mint;
    this.employerToken = parts.employerToken;
  }

  static async create(): Promise<Fixture> {
    const [admin, authority, employer, stranger, validator, mint] = (await Promise.all(
      Array.from({ length: 6 }, () => generateKeyPairSigner()),
    )) as [KeyPairSigner, KeyPairSigner, KeyPairSigner, KeyPairSigner, KeyPairSigner, KeyPairSigner];
    const [employerToken] = await findAssociatedTokenPda({
      owner: employer.address,
      mint: mint.address,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    const programData = await payouts.findProgramDataAddress(PROGRAM);
    const fixture = new Fixture({
      programData,
      admin,
      authority,
      employer,
      stranger,
      validator: validator.address,
      mint: mint.address,
      employerToken,
    });
    for (const signer of [admin, authority, employer, stranger]) {
      fixture.svm.airdrop(signer.address, lamports(100_000_000_000n));
    }
    fixture.deploy();
    fixture.svm.addProgramFromFile(DELEGATION_PROGRAM, fileURLToPath(new URL(`${DELEGATION_PROGRAM}.so`, dumps)));
    fixture.setTime(1_800_000_000n);
    await fixture.succeed(
      [
        getCreateAccountInstruction({
          payer: admin,
          newAccount: mint,
          lamports: lamports(1_461_600n),
          space: 82n,
          programAddress: TOKEN_PROGRAM_ADDRESS,
        }),
        getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: admin.address }),
        getCreateAssociatedTokenIdempotentInstruction({
          payer: admin,
          ata: employerToken,
          owner: employer.address,
          mint: mint.address,
        }),
        getMintToInstruction({
          mint: mint.address,
          token: employerToken,
          mintAuthority: admin,
          amount: 1_000_000_000_000n,
        }),
      ],
      admin,
    );
    return fixture;
  }

  /** Puts the built program on the ledger as the upgradeable loader would, with `admin` as upgrade authority. */
  private deploy(): void {
    const elf = readFileSync(new URL('../../program/payouts.so', import.meta.url));
    const head = Buffer.alloc(45);
    head.writeUInt32LE(3, 0);
    head[12] = 1;
    head.set(getAddressEncoder().encode(this.admin.address), 13);
    const link = Buffer.alloc(36);
    link.writeUInt32LE(2, 0);
    link.set(getAddressEncoder().encode(this.programData), 4);
    for (const [at, data, executable] of [
      [this.programData, Buffer.concat([head, elf]), false],
      [PROGRAM, link, true],
    ] as const) {
      this.svm.setAccount({
        address: at,
        data: new Uint8Array(data),
        executable,
        lamports: lamports(10_000_000_000n),
        programAddress: LOADER,
        space: BigInt(data.length),
      });
    }
  }

  /** An instruction that creates the config with wide limits, as `upgradeAuthority`. */
  initConfig(upgradeAuthority: KeyPairSigner = this.admin): Promise<Instruction> {
    return payouts.getInitConfigInstructionAsync({
      upgradeAuthority,
      programData: this.programData,
      governance: this.admin.address,
      executionAuthority: this.authority.address,
      validator: this.validator,
      maxRecipients: 80_384,
      minInterval: 1,
      minBatchTimeout: 1,
      maxBatchTimeout: 86_400,
      maxClaims: 250,
      flags: 0,
    });
  }

  setTime(unixSeconds: bigint): void {
    const clock = this.svm.getClock();
    clock.unixTimestamp = unixSeconds;
    this.svm.setClock(clock);
  }

  /** Sends instructions in one transaction. Each call differs from the last, so the same instructions may be sent again. */
  async send(instructions: readonly Instruction[], feePayer: KeyPairSigner): Promise<Outcome> {
    this.svm.expireBlockhash();
    const transaction = await partiallySignTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(feePayer, message),
        (message) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(message),
        (message) => appendTransactionMessageInstructions(instructions, message),
      ),
    );
    const result = this.svm.sendTransaction(transaction);
    const meta = result instanceof FailedTransactionMetadata ? result.meta() : result;
    const logs = meta.logs();
    return {
      failure: result instanceof FailedTransactionMetadata ? failureOf(logs, String(result)) : undefined,
      logs,
      computeUnits: meta.computeUnitsConsumed(),
    };
  }

  async succeed(instructions: readonly Instruction[], feePayer: KeyPairSigner): Promise<Outcome> {
    const outcome = await this.send(instructions, feePayer);
    if (outcome.failure !== undefined) throw new Error(`${outcome.failure}\n${outcome.logs.join('\n')}`);
    return outcome;
  }

  data(at: Address): Uint8Array {
    const account = this.svm.getAccount(at);
    if (!account.exists) throw new Error(`no account at ${at}`);
    return account.data as Uint8Array;
  }

  tokens(at: Address): bigint {
    return getTokenDecoder().decode(this.data(at)).amount;
  }
}

/** The program's own error name, else the last log line. */
function failureOf(logs: readonly string[], otherwise: string): string {
  for (const line of logs) {
    const code = /custom program error: 0x([0-9a-f]+)/.exec(line)?.[1];
    if (code !== undefined) return payouts.programError(Number.parseInt(code, 16))?.name ?? `custom 0x${code}`;
  }
  return logs.findLast((line) => line.includes('failed:')) ?? otherwise;
}
