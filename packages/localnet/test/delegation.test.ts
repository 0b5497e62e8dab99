import { sendToLayer, systemTime } from '@payouts/client';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';
import { getAssignInstruction, getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { DELEGATION_PROGRAM, startLocalnet, type TransactionRecord, VALIDATOR_IDENTITY } from '../src/index.ts';
import { atEnd, type Client, connect, connectAs, SOL, temporaryDirectory, until } from './support.ts';

const SYSTEM = address('11111111111111111111111111111111');
const MAGIC_PROGRAM = address('Magic11111111111111111111111111111111111111');
const MAGIC_CONTEXT = address('MagicContext1111111111111111111111111111111');
const COMMIT_AND_UNDELEGATE = Uint8Array.of(2, 0, 0, 0);

const localnet = await startLocalnet({ directory: temporaryDirectory(), time: systemTime });
atEnd(() => localnet.stop());
const base = await connect({ rpcUrl: localnet.baseRpcUrl, wsUrl: localnet.baseWsUrl });
const layer = connectAs(base.payer, { rpcUrl: localnet.layerRpcUrl, wsUrl: localnet.layerWsUrl });

const derive = async (programAddress: Address, seed: string, of: Address): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress, seeds: [seed, getAddressEncoder().encode(of)] }))[0];
const signer = (key: KeyPairSigner): AccountSignerMeta => ({
  address: key.address,
  role: AccountRole.WRITABLE_SIGNER,
  signer: key,
});

/** Hands a wallet's account to the execution layer: a key of its own signs, so that no program is needed. */
async function delegate(wallet: KeyPairSigner): Promise<Instruction> {
  const writable = async (program: Address, seed: string) => ({
    address: await derive(program, seed, wallet.address),
    role: AccountRole.WRITABLE,
  });
  const data = Buffer.concat([
    Buffer.alloc(8), // the instruction's number
    Buffer.alloc(4, 0xff), // commit only when asked to, milliseconds
    Buffer.alloc(4), // no seeds
    Buffer.of(1),
    Buffer.from(getAddressEncoder().encode(VALIDATOR_IDENTITY)),
  ]);
  return {
    programAddress: DELEGATION_PROGRAM,
    data,
    accounts: [
      signer(base.payer),
      signer(wallet),
      { address: SYSTEM, role: AccountRole.READONLY },
      await writable(SYSTEM, 'buffer'),
      await writable(DELEGATION_PROGRAM, 'delegation'),
      await writable(DELEGATION_PROGRAM, 'delegation-metadata'),
      { address: SYSTEM, role: AccountRole.READONLY },
    ],
  };
}

async function ownerOf(client: Client, of: Address): Promise<Address | undefined> {
  return (await client.rpc.getAccountInfo(of, { encoding: 'base64' }).send()).value?.owner;
}

async function landedOnBase(): Promise<TransactionRecord[]> {
  const records: TransactionRecord[] = [];
  for await (const record of localnet.admin.listTransactions()) records.push(record);
  return records;
}

test('an account goes to the execution layer, is written there, and comes back', async () => {
  const [wallet, other] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  for (const { address } of [wallet, other]) await base.rpc.requestAirdrop(address, lamports(SOL)).send();
  for (const key of [wallet, other]) {
    await base.send(getAssignInstruction({ account: key, programAddress: DELEGATION_PROGRAM }), await delegate(key));
    expect(await ownerOf(base, key.address)).toBe(DELEGATION_PROGRAM);
    await until(async () => (await ownerOf(layer, key.address)) === SYSTEM);
  }

  const inLayer = (instruction: Instruction) =>
    sendToLayer({ layer: layer.rpc, time: systemTime }, [instruction], base.payer);
  await inLayer(getTransferSolInstruction({ source: wallet, destination: other.address, amount: 1_000n }));
  expect((await layer.rpc.getBalance(other.address).send()).value).toBe(SOL + 1_000n);

  const before = (await landedOnBase()).length;
  await inLayer({
    programAddress: MAGIC_PROGRAM,
    data: COMMIT_AND_UNDELEGATE,
    accounts: [
      signer(base.payer),
      { address: MAGIC_CONTEXT, role: AccountRole.WRITABLE },
      signer(wallet),
      signer(other),
    ],
  });
  for (const key of [wallet, other]) await until(async () => (await ownerOf(base, key.address)) === SYSTEM);
  // The commit instruction of the published delegation program takes over data and leaves lamports as they were on the
  // base ledger. A release that mends this fails here, and with it what the project assumes about lamports spent in the layer.
  for (const key of [wallet, other]) expect((await base.rpc.getBalance(key.address).send()).value).toBe(SOL);

  const commits = (await landedOnBase()).slice(before);
  expect(commits.length).toBeGreaterThan(0);
  for (const commit of commits) {
    expect(commit.err).toBeNull();
    expect(commit.accountKeys[0]).toBe(VALIDATOR_IDENTITY);
  }
});
