import {
  address,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { describe, expect, test } from 'vitest';
import { foundAgain, SOL, startWithClient } from './support.ts';

const { ledger, client } = await startWithClient();
const { rpc, payer } = client;

/** The cause kit gives for a refused preflight. */
async function preflightError(sending: Promise<unknown>) {
  const error = await sending.catch((thrown: unknown) => thrown);
  if (!isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE)) {
    throw new Error(`no preflight failure: ${error}`);
  }
  return error;
}

async function transferTo(amount: bigint) {
  const { address: destination } = await generateKeyPairSigner();
  return getTransferSolInstruction({ source: payer, destination, amount });
}

describe('a transaction', () => {
  test('is confirmed over the websocket and found afterwards', async () => {
    const destination = await generateKeyPairSigner();
    const transaction = await client.sign([
      getTransferSolInstruction({ source: payer, destination: destination.address, amount: 3n * SOL }),
    ]);
    await client.confirm(transaction);
    const signature = getSignatureFromTransaction(transaction);

    expect((await rpc.getBalance(destination.address).send()).value).toBe(3n * SOL);
    const found = await foundAgain(client, transaction);
    expect(found?.meta?.err).toBeNull();
    expect(found?.meta?.fee).toBe(5_000n);
    expect(found?.transaction.message.accountKeys[1]).toBe(destination.address);
    const [, before] = found?.meta?.preBalances ?? [];
    const [, after] = found?.meta?.postBalances ?? [];
    expect([before, after]).toEqual([0n, 3n * SOL]);
    const [status] = (await rpc.getSignatureStatuses([signature]).send()).value;
    expect(status?.confirmationStatus).toBe('finalized');
    const listed = await rpc.getSignaturesForAddress(destination.address).send();
    expect(listed.map((entry) => entry.signature)).toEqual([signature]);
  });

  test('has a slot of its own', async () => {
    const sent = await Promise.all([1n, 2n, 3n].map(async (n) => client.sign([await transferTo(SOL + n)])));
    await Promise.all(sent.map((transaction) => client.confirm(transaction)));
    const { value } = await rpc.getSignatureStatuses(sent.map(getSignatureFromTransaction)).send();
    expect(new Set(value.map((status) => status?.slot)).size).toBe(3);
  });

  test('that fails gives a custom error with logs', async () => {
    const error = await preflightError(client.send(await transferTo(1_000_000n * SOL)));
    expect(isSolanaError(error.cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
    expect(error.cause).toMatchObject({ context: { code: 1, index: 0 } });
    expect(error.context.logs?.join('\n')).toContain('insufficient lamports');
  });

  test('that fails without preflight lands with its error and pays its fee', async () => {
    const before = (await rpc.getBalance(payer.address).send()).value;
    const transaction = await client.sign([await transferTo(1_000_000n * SOL)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    const found = await foundAgain(client, transaction);
    expect(found?.meta?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
    expect(found?.meta?.logMessages?.length).toBeGreaterThan(1);
    expect((await rpc.getBalance(payer.address).send()).value).toBe(before - 5_000n);
  });

  test('with an expired blockhash is refused', async () => {
    const transaction = await client.sign([await transferTo(SOL)]);
    await ledger.admin.advanceBlocks(151);
    const error = await preflightError(client.confirm(transaction));
    expect(isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND)).toBe(true);

    const wire = getBase64EncodedWireTransaction(transaction);
    await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    const [status] = (await rpc.getSignatureStatuses([getSignatureFromTransaction(transaction)]).send()).value;
    expect(status).toBeNull();
  });

  test('lives until its last valid block height', async () => {
    const { value } = await rpc.getLatestBlockhash().send();
    const transaction = await client.sign([await transferTo(SOL)], value);
    // Fifty blocks are left for those that time makes meanwhile; the edge itself is in ledgerTime.test.ts.
    await ledger.admin.advanceBlocks(100);
    expect(await rpc.getBlockHeight().send()).toBeLessThanOrEqual(value.lastValidBlockHeight);
    await client.confirm(transaction);
    await ledger.admin.advanceBlocks(51);
    expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(false);
    expect(await rpc.getBlockHeight().send()).toBeGreaterThan(value.lastValidBlockHeight);
  });

  test('is taken once', async () => {
    const transaction = await client.sign([await transferTo(SOL)]);
    await client.confirm(transaction);
    const wire = getBase64EncodedWireTransaction(transaction);
    const error = await preflightError(rpc.sendTransaction(wire, { encoding: 'base64' }).send());
    expect(isSolanaError(error.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)).toBe(true);
  });

  test('with a wrong signature is refused', async () => {
    const transaction = await client.sign([await transferTo(SOL)]);
    const wire = Buffer.from(getBase64EncodedWireTransaction(transaction), 'base64');
    wire.writeUInt8(wire.readUInt8(5) ^ 1, 5);
    const sending = rpc.sendTransaction(wire.toString('base64') as never, { encoding: 'base64' }).send();
    await expect(sending).rejects.toMatchObject({ context: { __code: -32_003 } });
  });

  test('below the rent exemption names the account', async () => {
    const transaction = await client.sign([await transferTo(10n)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64' }).send();
    expect(value.err).toEqual({ InsufficientFundsForRent: { account_index: 1n } });
  });
});

describe('the fee', () => {
  test('of a message is what is charged, priority included', async () => {
    const price = Buffer.alloc(9);
    price.writeUInt8(3, 0);
    price.writeBigUInt64LE(2_000_000n, 1);
    const limit = Buffer.alloc(5);
    limit.writeUInt8(2, 0);
    limit.writeUInt32LE(100_000, 1);
    const budget = address('ComputeBudget111111111111111111111111111111');
    const transaction = await client.sign([
      { programAddress: budget, data: price },
      { programAddress: budget, data: limit },
      await transferTo(SOL),
    ]);
    const message = Buffer.from(transaction.messageBytes).toString('base64');
    expect((await rpc.getFeeForMessage(message as never).send()).value).toBe(205_000n);
    await client.confirm(transaction);
    expect((await foundAgain(client, transaction))?.meta?.fee).toBe(205_000n);
  });
});

describe('airdrops', () => {
  test('of the same amount to the same wallet both arrive', async () => {
    const { address: wallet } = await generateKeyPairSigner();
    // One after the other, because kit sends equal calls of one moment once.
    for (const _ of [1, 2]) await rpc.requestAirdrop(wallet, lamports(SOL)).send();
    expect((await rpc.getBalance(wallet).send()).value).toBe(2n * SOL);
  });
});
