import { randomBytes } from 'node:crypto';
import * as payouts from '@payouts/client';
import { type Address, createNoopSigner, getAddressDecoder, lamports } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fixture, PROGRAM } from './fixture.ts';

const start = 1_800_000_000n;

describe('the base ledger part of the program', () => {
  let f: Fixture;
  let vault: Address;
  let vaultToken: Address;
  let pool: Address;
  let poolToken: Address;

  const readVault = () => payouts.getVaultDecoder().decode(f.data(vault));
  const readPool = () => payouts.getPoolDecoder().decode(f.data(pool));
  const createSchedule = (
    id: bigint,
    change: Partial<{ amount: bigint; executions: number; recipients: number }> = {},
  ) =>
    payouts.getCreateScheduleInstructionAsync({
      employer: f.employer,
      payer: f.employer,
      vault,
      id,
      root: new Uint8Array(32).fill(7),
      amount: 1_000n,
      recipients: 200,
      interval: 60n,
      firstExecution: start + 10n,
      executions: 3,
      batchTimeout: 30,
      missed: payouts.MissedWindows.CatchUp,
      ...change,
    });

  beforeAll(async () => {
    f = await Fixture.create();
    const ata = (owner: Address) =>
      findAssociatedTokenPda({ owner, mint: f.mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }).then(([at]) => at);
    [vault] = await payouts.findVaultPda({ employer: f.employer.address, mint: f.mint });
    [pool] = await payouts.findPoolPda({ mint: f.mint });
    vaultToken = await ata(vault);
    poolToken = await ata(pool);
    await f.succeed([await f.initConfig()], f.admin);
    await f.succeed(
      [
        ...[pool, vault].map((owner) =>
          getCreateAssociatedTokenIdempotentInstruction({
            payer: f.employer,
            ata: owner === pool ? poolToken : vaultToken,
            owner,
            mint: f.mint,
          }),
        ),
        await payouts.getInitPoolInstructionAsync({ payer: f.employer, mint: f.mint, poolToken }),
      ],
      f.employer,
    );
    await f.succeed(
      [await payouts.getInitCounterInstructionAsync({ payer: f.employer, mint: f.mint, pool })],
      f.employer,
    );
    await f.succeed(
      [
        await payouts.getInitVaultInstructionAsync({
          employer: f.employer,
          payer: f.employer,
          mint: f.mint,
          vaultToken,
        }),
        payouts.getDepositInstruction({
          depositor: f.employer,
          sourceToken: f.employerToken,
          vault,
          vaultToken,
          mint: f.mint,
          amount: 10_000n,
        }),
      ],
      f.employer,
    );
  });

  it('lets nobody but the upgrade authority create the config, and only once', async () => {
    expect((await f.send([await f.initConfig(f.stranger)], f.stranger)).failure).toBe('NotUpgradeAuthority');
    expect((await f.send([await f.initConfig()], f.admin)).failure).toContain('uninitialized account');
  });

  it('keeps promised tokens from being withdrawn', async () => {
    await f.succeed([await createSchedule(1n, { amount: 3_000n })], f.employer);
    expect(readVault()).toMatchObject({ deposited: 10_000n, reserved: 9_000n, schedules: 1 });
    const withdraw = (amount: bigint) =>
      payouts.getWithdrawInstruction({
        employer: f.employer,
        vault,
        vaultToken,
        destinationToken: f.employerToken,
        mint: f.mint,
        amount,
      });
    expect((await f.send([withdraw(1_001n)], f.employer)).failure).toBe('InsufficientAvailable');
    expect((await f.send([await createSchedule(2n, { amount: 334n })], f.employer)).failure).toBe(
      'InsufficientAvailable',
    );
    expect((await f.send([await createSchedule(2n, { amount: 2n ** 63n })], f.employer)).failure).toBe('Overflow');
    await f.succeed([withdraw(1_000n)], f.employer);
    expect(f.tokens(vaultToken)).toBe(9_000n);
  });

  it('opens a due window once: its amount moves to the pool and only its batch leaves the program', async () => {
    const [schedule] = await payouts.findSchedulePda({ vault, id: 1n });
    const [batch] = await payouts.findBatchPda({ schedule });
    const open = (window: bigint) =>
      payouts.getDelegateScheduleInstructionAsync({
        authority: f.authority,
        schedule,
        vault,
        vaultToken,
        pool,
        poolToken,
        mint: f.mint,
        window,
      });
    expect((await f.send([await open(0n)], f.authority)).failure).toBe('NotDue');
    f.setTime(start + 10n);
    expect((await f.send([await open(1n)], f.authority)).failure).toBe('WrongWindow');
    const opened = await f.succeed([await open(0n)], f.authority);
    expect(opened.computeUnits).toBeLessThan(60_000n);
    expect(readVault()).toMatchObject({ reserved: 6_000n, open: 3_000n });
    expect(readPool()).toMatchObject({ movedIn: 3_000n, open: 3_000n });
    expect([f.tokens(vaultToken), f.tokens(poolToken)]).toEqual([6_000n, 3_000n]);
    expect(payouts.getScheduleDecoder().decode(f.data(schedule))).toMatchObject({
      phase: payouts.SchedulePhase.Open,
      window: 0n,
      windowAmount: 3_000n,
      windowRecipients: 200,
    });
    const account = f.svm.getAccount(batch);
    expect(account.exists && account.programAddress).toBe('DELeGGvXpWV2fqJUhqcF5ZSYMS4JTLjteaAMARRSaeSh');
    expect((await f.send([await open(0n)], f.authority)).failure).toBeDefined();
  });

  it('refuses a payout that does not come through the pool’s escrow', async () => {
    const random = () => getAddressDecoder().decode(randomBytes(32));
    const [escrow] = await payouts.findEscrowPda({ authority: pool, index: 0 });
    const outcome = await f.send(
      [
        payouts.getPayOutInstruction({
          pool,
          poolToken,
          mint: f.mint,
          wallet: f.stranger.address,
          walletToken: random(),
          page: random(),
          config: await payouts.findConfigAddress(),
          sourceProgram: PROGRAM,
          escrowAuthority: pool,
          escrow: f.stranger,
          number: 1n,
          amount: 1n,
        }),
      ],
      f.stranger,
    );
    expect(outcome.failure).toBe('InvalidEscrow');
    expect(escrow).not.toBe(f.stranger.address);
    expect(f.tokens(poolToken)).toBe(3_000n);
  });

  it('refuses a payout through the right escrow that the configured validator has not sent', async () => {
    const [escrow] = await payouts.findEscrowPda({ authority: pool, index: 0 });
    const wallet = getAddressDecoder().decode(randomBytes(32));
    const [walletToken] = await findAssociatedTokenPda({
      owner: wallet,
      mint: f.mint,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    f.svm.airdrop(escrow, lamports(1_000_000_000n));
    // Without signature checks the escrow counts as a signer: as if another validator had made the delegation program call.
    f.svm.withSigverify(false);
    const outcome = await f.send(
      [
        await payouts.getPayOutInstructionAsync({
          pool,
          poolToken,
          mint: f.mint,
          wallet,
          walletToken,
          page: await payouts.findPageAddress(f.mint, 1n),
          escrowAuthority: pool,
          escrow: createNoopSigner(escrow),
          number: 1n,
          amount: 1n,
        }),
      ],
      f.stranger,
    );
    f.svm.withSigverify(true);
    expect(outcome.failure).toBe('NotValidator');
    expect(f.tokens(poolToken)).toBe(3_000n);
  });
});
