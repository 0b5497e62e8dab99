import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { createSolanaRpc, generateKeyPairSigner, getSignatureFromTransaction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { LocalnetError, startBaseLedger, type TransactionRecord } from '../src/index.ts';
import { connect, foundAgain, SOL, temporaryDirectory } from './support.ts';

test('accounts, history, slots and clock survive kill -9 and a torn record', async () => {
  const directory = temporaryDirectory();
  const first = await startBaseLedger({ directory, time: systemTime });
  const client = await connect(first);
  const { address: wallet } = await generateKeyPairSigner();
  const transaction = await client.sign([
    getTransferSolInstruction({ source: client.payer, destination: wallet, amount: 2n * SOL }),
  ]);
  await client.confirm(transaction);
  const preset = (await generateKeyPairSigner()).address;
  await first.admin.setAccount({ address: preset, lamports: SOL, data: Uint8Array.of(7) });
  await first.admin.warpClock(2_000_000_000);
  const genesisHash = await client.rpc.getGenesisHash().send();
  const slot = await client.rpc.getSlot().send();
  await first.kill('SIGKILL');
  appendFileSync(join(directory, 'journal.jsonl'), '{"kind":"transaction","slot":');

  // Twice: once from the journal, once from the snapshot that the first start made of it.
  for (const _ of ['journal', 'snapshot']) {
    const again = await startBaseLedger({ directory, time: systemTime });
    const rpc = createSolanaRpc(again.rpcUrl);
    expect((await rpc.getBalance(wallet).send()).value).toBe(2n * SOL);
    expect((await rpc.getAccountInfo(preset, { encoding: 'base64' }).send()).value?.data[0]).toBe('Bw==');
    expect(await rpc.getGenesisHash().send()).toBe(genesisHash);
    expect(await rpc.getSlot().send()).toBeGreaterThan(slot);
    expect(await again.admin.advanceClock(0)).toBeGreaterThanOrEqual(2_000_000_000);
    const signature = getSignatureFromTransaction(transaction);
    expect((await foundAgain({ rpc }, transaction))?.meta?.err).toBeNull();
    const listed: TransactionRecord[] = [];
    for await (const record of again.admin.listTransactions()) listed.push(record);
    expect(listed.map((record) => record.signature)).toContain(signature);
    expect(listed.at(-1)?.accounts.map((account) => account.address)).toContain(wallet);
    await again.stop();
  }
});

test('a reset forgets everything', async () => {
  const directory = temporaryDirectory();
  const first = await startBaseLedger({ directory, time: systemTime });
  const { payer, rpc } = await connect(first);
  const genesisHash = await rpc.getGenesisHash().send();
  await first.stop();
  const again = await startBaseLedger({ directory, reset: true, time: systemTime });
  const anew = createSolanaRpc(again.rpcUrl);
  expect((await anew.getBalance(payer.address).send()).value).toBe(0n);
  expect(await anew.getGenesisHash().send()).not.toBe(genesisHash);
  await again.stop();
});

test('one directory serves one ledger', async () => {
  const directory = temporaryDirectory();
  const first = await startBaseLedger({ directory, time: systemTime });
  const second = await startBaseLedger({ directory, time: systemTime }).catch((error: unknown) => error);
  expect(second).toBeInstanceOf(LocalnetError);
  expect(second).toMatchObject({ code: 'DIRECTORY_IN_USE' });
  await first.stop();
});

test('a damaged journal is refused, not guessed at', async () => {
  const directory = temporaryDirectory();
  const first = await startBaseLedger({ directory, time: systemTime });
  await connect(first);
  await first.kill('SIGKILL');
  const path = join(directory, 'journal.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"kind"', '"kind'));
  await expect(startBaseLedger({ directory, time: systemTime })).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
});
