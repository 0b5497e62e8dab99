import { AccountRole, type Address, generateKeyPairSigner, type Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  buildTransaction,
  createScheduleInstructions,
  createVaultInstructions,
  DELEGATION_PROGRAM_ADDRESS,
  delegateScheduleInstructions,
  findBatchAddress,
  findConfigAddress,
  findCounterAddress,
  findDelegationAddresses,
  findPageAddress,
  findPoolAddress,
  findRedeemedPageAddress,
  findScheduleAddress,
  findSponsorAddress,
  findTokenAddress,
  findVaultAddress,
  findWhitelistEntryAddress,
  getRecordLiabilitiesInstructionDataDecoder,
  getRedeemInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  openingOf,
  ownerRecord,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  pageRent,
  prepareList,
  readSettlement,
  redeemInstructions,
  requestWithdrawalInstructions,
  settleInstructions,
  TOKEN_2022_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
} from '../src/index.ts';
import { lifetime, randomAddress } from './support.ts';

const SYSTEM = '11111111111111111111111111111111';
const mint = randomAddress();
const addressesOf = (instruction: Instruction | undefined) => instruction?.accounts?.map(({ address }) => address);
const selectorsOf = (instructions: Instruction[]) => instructions.map(({ data }) => data?.[0]);

type Four = [Address, Address, Address, Address];

const signer = await generateKeyPairSigner();

describe('instruction sets', () => {
  it('create a vault with what its token lacks', async () => {
    expect(selectorsOf(await createVaultInstructions({ employer: signer, mint }))).toEqual([1, 4, 5, 1, 6]);
    const existing = { pool: true, counter: true };
    expect(selectorsOf(await createVaultInstructions({ employer: signer, mint, existing }))).toEqual([1, 6]);
  });

  it('create a vault with the contract’s accounts', async () => {
    const instructions = await createVaultInstructions({ employer: signer, mint });
    const [pool, vault, config, counter, employerEntry, mintEntry] = await Promise.all([
      findPoolAddress(mint),
      findVaultAddress(signer.address, mint),
      findConfigAddress(),
      findCounterAddress(mint),
      findWhitelistEntryAddress(signer.address),
      findWhitelistEntryAddress(mint),
    ]);
    const delegation = await findDelegationAddresses(counter);
    expect(addressesOf(instructions[1])).toEqual([
      signer.address,
      config,
      mintEntry,
      pool,
      mint,
      await findTokenAddress(pool, mint),
      TOKEN_PROGRAM_ADDRESS,
      SYSTEM,
    ]);
    expect(addressesOf(instructions[2])).toEqual([
      signer.address,
      pool,
      counter,
      delegation.buffer,
      delegation.delegationRecord,
      delegation.delegationMetadata,
      DELEGATION_PROGRAM_ADDRESS,
      PAYOUT_LEDGER_PROGRAM_ADDRESS,
      SYSTEM,
    ]);
    expect(addressesOf(instructions[4])).toEqual([
      signer.address,
      signer.address,
      config,
      employerEntry,
      mintEntry,
      pool,
      vault,
      mint,
      await findTokenAddress(vault, mint),
      SYSTEM,
    ]);
  });

  it('find the token accounts of a Token-2022 mint', async () => {
    const tokenProgram = TOKEN_2022_PROGRAM_ADDRESS;
    const instructions = await createVaultInstructions({ employer: signer, mint, tokenProgram });
    const [pool, vault] = await Promise.all([findPoolAddress(mint), findVaultAddress(signer.address, mint)]);
    expect(addressesOf(instructions[1])?.slice(5, 7)).toEqual([
      await findTokenAddress(pool, mint, tokenProgram),
      tokenProgram,
    ]);
    expect(addressesOf(instructions[4])?.[8]).toBe(await findTokenAddress(vault, mint, tokenProgram));
  });

  it('register a schedule and build a transaction from it', async () => {
    const list = prepareList([{ recipient: randomAddress(), amount: 5n }]);
    const instructions = await createScheduleInstructions({
      employer: signer,
      mint,
      id: 3n,
      list,
      calendar: { unit: 'months-on-day', every: 1, day: 31 },
      firstExecution: 1n,
      executions: 12,
      batchTimeout: 600,
    });
    const vault = await findVaultAddress(signer.address, mint);
    const schedule = await findScheduleAddress(vault, 3n);
    expect(addressesOf(instructions[0])?.slice(3)).toEqual([
      await findWhitelistEntryAddress(signer.address),
      vault,
      schedule,
      await findBatchAddress(schedule),
      SYSTEM,
      await findWhitelistEntryAddress(mint),
      await findPoolAddress(mint),
    ]);
    const { wire, signature } = await buildTransaction({
      feePayer: signer,
      instructions,
      lifetime,
      computeUnitLimit: 200_000,
      computeUnitPrice: 5n,
    });
    expect(Buffer.from(wire, 'base64').length).toBeLessThan(1_232);
    expect(signature.length).toBeGreaterThan(80);
  });

  it('open a window, with lamports for its new pages', async () => {
    const [schedule, vault] = [randomAddress(), randomAddress()];
    const options = { authority: signer, schedule, vault, mint, window: 0n, rootVersion: 3 };
    const [delegate, ...others] = await delegateScheduleInstructions({ ...options, lendLamports: pageRent(10) });
    const [batch, pool] = await Promise.all([findBatchAddress(schedule), findPoolAddress(mint)]);
    const delegation = await findDelegationAddresses(batch);
    expect(Buffer.from(delegate?.data ?? []).readBigUInt64LE(13)).toBe(pageRent(10));
    expect(others).toEqual([]);
    expect(addressesOf(delegate)).toEqual([
      signer.address,
      await findConfigAddress(),
      schedule,
      batch,
      vault,
      await findTokenAddress(vault, mint),
      pool,
      await findTokenAddress(pool, mint),
      mint,
      TOKEN_PROGRAM_ADDRESS,
      delegation.buffer,
      delegation.delegationRecord,
      delegation.delegationMetadata,
      DELEGATION_PROGRAM_ADDRESS,
      PAYOUT_LEDGER_PROGRAM_ADDRESS,
      SYSTEM,
      await findSponsorAddress(mint),
    ]);
    expect(await delegateScheduleInstructions(options)).toHaveLength(1);
  });

  it('settle windows as the execution authority, and are read again', async () => {
    const liabilities = {
      sequence: 8n,
      root: new Uint8Array(32),
      total: 9n,
      openings: 13n,
      movedIn: 10n,
      coveredTo: 11n,
      leaves: 12,
      withdrawalsRoot: new Uint8Array(32).fill(1),
      withdrawalLeaves: 14,
    };
    const vault = randomAddress();
    const windows = [7n, 70n].map((window) => ({ schedule: randomAddress(), vault, window }));
    const paying = windows.map((window) => ({ ...window, paid: window.window * 10n }));
    const [record, settle] = await settleInstructions({ authority: signer, mint, windows: paying, liabilities });
    expect(getRecordLiabilitiesInstructionDataDecoder().decode(record?.data ?? new Uint8Array())).toMatchObject({
      liabilities,
    });
    expect(await settleInstructions({ authority: signer, mint, windows: paying })).toEqual([settle]);
    expect(settle?.accounts?.map(({ role }) => role)).toEqual([
      AccountRole.WRITABLE_SIGNER,
      AccountRole.READONLY,
      AccountRole.WRITABLE,
      AccountRole.WRITABLE,
      AccountRole.READONLY,
      AccountRole.READONLY,
      ...new Array(8).fill(AccountRole.WRITABLE),
    ]);
    const data = Uint8Array.from(settle?.data ?? []);
    const accounts = addressesOf(settle) ?? [];
    const vaultToken = await findTokenAddress(vault, mint);
    const whole = windows.map(async (one) => ({ ...one, batch: await findBatchAddress(one.schedule), vaultToken }));
    expect(readSettlement(data, accounts)).toEqual({
      authority: signer.address,
      mint,
      paid: 770n,
      windows: await Promise.all(whole),
    });
    expect(readSettlement(Uint8Array.from(record?.data ?? []), accounts)).toBeUndefined();
    expect(readSettlement(data, accounts.slice(0, -1))).toBeUndefined();
    expect(readSettlement(Uint8Array.of(1), accounts)).toBeUndefined();
  });

  it('redeem a leaf of the liabilities tree to the recipient’s own wallet', async () => {
    const [salt, tokenProgram] = [new Uint8Array(16).fill(3), TOKEN_2022_PROGRAM_ADDRESS];
    const { owner } = ownerRecord({ recipient: signer.address, salt, delivery: 'wallet' });
    const leaf = {
      kind: 'balance' as const,
      index: 9_000,
      owner,
      amount: 5n,
      number: 8_192n,
      blind: new Uint8Array(16).fill(4),
    };
    const opened = { leaf, salt, delivery: 'wallet' as const };
    const [create, redeem] = await redeemInstructions({ recipient: signer, mint, tokenProgram, ...opened, proof: [] });
    const pool = await findPoolAddress(mint);
    const destination = await findTokenAddress(signer.address, mint, tokenProgram);
    expect(addressesOf(create)?.[1]).toBe(destination);
    expect(addressesOf(redeem)).toEqual([
      signer.address,
      signer.address,
      await findConfigAddress(),
      pool,
      await findTokenAddress(pool, mint, tokenProgram),
      destination,
      mint,
      tokenProgram,
      await findRedeemedPageAddress(mint, 9_000),
      await findPageAddress(mint, 8_192n),
      SYSTEM,
    ]);
    // What opens the owner, and no salt.
    const data = getRedeemInstructionDataDecoder().decode(Uint8Array.from(redeem?.data ?? []));
    expect(data).toMatchObject({ index: 9_000, opening: openingOf(salt), delivery: 1, amount: 5n, number: 8_192n });
    expect(Buffer.from(redeem?.data ?? []).includes(Buffer.from(salt))).toBe(false);
  });

  it('ask for everything that a balance holds, from any deployment', async () => {
    const [personal, page, wallet, programAddress] = Array.from({ length: 4 }, randomAddress) as Four;
    const [request] = await requestWithdrawalInstructions({
      signer,
      personal,
      page,
      mint,
      amount: 'all',
      wallet,
      programAddress,
    });
    expect(request?.programAddress).toBe(programAddress);
    expect(addressesOf(request)).toEqual([
      signer.address,
      personal,
      page,
      await findCounterAddress(mint, { programAddress }),
      await findPoolAddress(mint, { programAddress }),
      INSTRUCTIONS_SYSVAR_ADDRESS,
    ]);
    expect(Buffer.from(request?.data ?? []).readBigUInt64LE(1)).toBe(2n ** 64n - 1n);
  });
});
