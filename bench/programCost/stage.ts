import { topUpEscrowInstruction } from '@payouts/cli';
import {
  type Calendar,
  createScheduleInstructions,
  delegateScheduleInstructions,
  fetchPool,
  findBatchAddress,
  findConfigAddress,
  findPoolAddress,
  findProgramDataAddress,
  findScheduleAddress,
  findTokenAddress,
  findVaultAddress,
  getCommitInstructionAsync,
  getDepositInstruction,
  getInitConfigInstructionAsync,
  getInitCounterInstructionAsync,
  getInitPoolInstructionAsync,
  getInitVaultInstructionAsync,
  type Liabilities,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type RecipientList,
  settleInstructions,
} from '@payouts/client';
import { createSampleToken } from '@payouts/sandbox';
import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';
import { Chain, until } from './chain.ts';

/** Told what an instruction has cost. */
export type Note = (name: string, ledger: 'base' | 'layer', units: number) => void;

/** Terms of a window's opening in these measurements. */
export const LIMITS = {
  maxRecipients: 80_384,
  minInterval: 1,
  minBatchTimeout: 1,
  maxBatchTimeout: 86_400,
  maxClaims: 250,
} as const;
const EVERY_SECOND: Calendar = { unit: 'seconds', every: 1 };
const DEPOSIT = 1_000_000_000_000n;
const ESCROW_LAMPORTS = 1_000_000_000n;

/** What a schedule is created with. */
export type ScheduleInput = {
  readonly id: bigint;
  readonly list: RecipientList;
  readonly executions: number;
  /** Seconds. */
  readonly batchTimeout: number;
};

/** A tree that is to be recorded. */
export type Tree = Omit<Liabilities, 'movedIn'>;

/** A deployment with one token, one employer and a funded vault. */
export class Stage {
  readonly chain: Chain;
  readonly admin: KeyPairSigner;
  readonly guardian: KeyPairSigner;
  readonly authority: KeyPairSigner;
  readonly employer: KeyPairSigner;
  readonly mint: Address;
  readonly config: Address;
  readonly pool: Address;
  readonly vault: Address;
  readonly vaultToken: Address;
  readonly employerToken: Address;
  readonly note: Note;

  private constructor(
    parts: Omit<Stage, 'note' | 'base' | 'layer' | 'createSchedule' | 'open' | 'commit' | 'settle' | 'recordOf'>,
    note: Note,
  ) {
    this.chain = parts.chain;
    this.admin = parts.admin;
    this.guardian = parts.guardian;
    this.authority = parts.authority;
    this.employer = parts.employer;
    this.mint = parts.mint;
    this.config = parts.config;
    this.pool = parts.pool;
    this.vault = parts.vault;
    this.vaultToken = parts.vaultToken;
    this.employerToken = parts.employerToken;
    this.note = note;
  }

  static async set(note: Note = () => {}): Promise<Stage> {
    const admin = await generateKeyPairSigner();
    const chain = await Chain.start(admin.address);
    await chain.fund(admin.address);
    const [guardian, authority, employer] = (await Promise.all([chain.key(), chain.key(), chain.key()])) as [
      KeyPairSigner,
      KeyPairSigner,
      KeyPairSigner,
    ];
    const mintKey = await generateKeyPairSigner();
    const mint = mintKey.address;
    await createSampleToken(chain.ledgers, {
      payer: admin,
      mint: mintKey,
      holder: employer.address,
      amount: 10n * DEPOSIT,
    });
    const [config, pool, vault] = await Promise.all([
      findConfigAddress(),
      findPoolAddress(mint),
      findVaultAddress(employer.address, mint),
    ]);
    const [poolToken, vaultToken, employerToken] = (await Promise.all(
      [pool, vault, employer.address].map((owner) => findTokenAddress(owner, mint)),
    )) as [Address, Address, Address];
    const stage = new Stage(
      { chain, admin, guardian, authority, employer, mint, config, pool, vault, vaultToken, employerToken },
      note,
    );
    await stage.base(
      'init_config',
      await getInitConfigInstructionAsync({
        upgradeAuthority: admin,
        programData: await findProgramDataAddress(PAYOUT_LEDGER_PROGRAM_ADDRESS),
        governance: admin.address,
        guardian: guardian.address,
        executionAuthority: authority.address,
        validator: chain.localnet.validatorIdentity,
        limits: LIMITS,
        flags: 0,
        lossGrace: 86_400,
      }),
      admin,
    );
    const tokenAccount = (owner: Address) =>
      getCreateAssociatedTokenIdempotentInstructionAsync({ payer: employer, owner, mint });
    await chain.onBase([await tokenAccount(pool), await tokenAccount(vault)], employer);
    await stage.base('init_pool', await getInitPoolInstructionAsync({ payer: employer, mint, poolToken }), employer);
    await stage.base('init_counter', await getInitCounterInstructionAsync({ payer: employer, mint, pool }), employer);
    await stage.base(
      'init_vault',
      await getInitVaultInstructionAsync({ employer, payer: employer, mint, vaultToken }),
      employer,
    );
    await chain.onBase(await topUpEscrowInstruction(employer, mint, ESCROW_LAMPORTS), employer);
    await stage.base(
      'deposit',
      getDepositInstruction({
        depositor: employer,
        sourceToken: employerToken,
        vault,
        vaultToken,
        mint,
        amount: DEPOSIT,
      }),
      employer,
    );
    return stage;
  }

  /** Opens a second employer's empty vault of the same token. */
  static async second({ chain, mint }: Stage): Promise<KeyPairSigner> {
    const employer = await chain.key();
    const vault = await findVaultAddress(employer.address, mint);
    const vaultToken = await findTokenAddress(vault, mint);
    await chain.onBase(
      [
        await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: employer, owner: vault, mint }),
        await getInitVaultInstructionAsync({ employer, payer: employer, mint, vaultToken }),
      ],
      employer,
    );
    return employer;
  }

  async base(name: string, instructions: Instruction | readonly Instruction[], payer: KeyPairSigner): Promise<void> {
    this.note(name, 'base', await this.chain.onBase(instructions, payer));
  }

  async layer(name: string, instruction: Instruction, payer: KeyPairSigner): Promise<void> {
    this.note(name, 'layer', await this.chain.onLayer(instruction, payer));
  }

  async createSchedule(input: ScheduleInput): Promise<Address> {
    await this.base(
      'create_schedule',
      await createScheduleInstructions({
        employer: this.employer,
        mint: this.mint,
        calendar: EVERY_SECOND,
        // Long ago, so that every window is due when it is wanted.
        firstExecution: BigInt(Math.floor(Date.now() / 1000) - 3_600),
        ...input,
      }),
      this.employer,
    );
    return findScheduleAddress(this.vault, input.id);
  }

  async open(schedule: Address, window: bigint, topUpLamports: bigint): Promise<void> {
    const { authority, vault, mint } = this;
    const batch = await findBatchAddress(schedule);
    // Asked, the layer sees that a batch it knew has left it.
    await this.chain.ledgers.layer.getAccountInfo(batch, { encoding: 'base64' }).send();
    await this.base(
      'delegate_schedule',
      await until(async () => {
        const { value } = await this.chain.ledgers.base.getAccountInfo(batch, { encoding: 'base64' }).send();
        if (value?.owner !== PAYOUT_LEDGER_PROGRAM_ADDRESS) return undefined;
        return delegateScheduleInstructions({ authority, schedule, vault, mint, window, topUpLamports });
      }, 'the batch to be back'),
      authority,
    );
  }

  async commit(schedule: Address, window: bigint): Promise<void> {
    const { authority } = this;
    const batch = await findBatchAddress(schedule);
    const after = Date.now();
    await this.layer('commit', await getCommitInstructionAsync({ authority, batch, window }), authority);
    this.note('undelegation callback', 'base', await this.chain.calledByValidator(batch, after));
  }

  /** Settles a window; `total` is what the pool holds afterwards. */
  async settle(schedule: Address, window: bigint, tree: Tree): Promise<void> {
    const { authority, vault, mint } = this;
    const windows = [{ schedule, vault, window }];
    const liabilities = await this.recordOf(tree);
    await this.base('settle', await settleInstructions({ authority, mint, windows, liabilities }), authority);
  }

  /** What is recorded of a tree that knows every window. */
  async recordOf(tree: Tree): Promise<Liabilities> {
    const { data } = await fetchPool(this.chain.ledgers.base, this.pool);
    return { ...tree, movedIn: data.movedIn };
  }
}
