// Both ledgers of the simulation behind Solana's RPC, each on a port of its own, with their clocks in the parent's hands.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS as program } from '@payouts/client';
import { Random } from '@payouts/testing/random';
import { type Address, getBase58Encoder, type Signature } from '@solana/kit';
import type { Commitment, LedgerAccount } from '../../packages/coordinator/dist/ledger/ledger.js';
import type { Chain } from '../../packages/coordinator/test/simulation/ledgers/chain.ts';
import { FakeLedgers, NO_DELAYS } from '../../packages/coordinator/test/simulation/ledgers/fakeLedgers.ts';
import { drawAddress, drawList } from '../../packages/coordinator/test/simulation/ledgers/lists.ts';
import { Treasury } from '../../packages/coordinator/test/simulation/ledgers/treasury.ts';
import type { ManySchedules, Promised } from './ledgers.ts';
import type { Said, Told } from './memoryLedgers.ts';

const LAMPORTS = 10n ** 15n;
const authority = process.argv[2] as Address;
const say = (said: Said) => process.send?.(said);

const clockwork = {
  get now() {
    return Date.now();
  },
  after: (milliseconds: number, act: () => void) => (milliseconds === 0 ? act() : void setTimeout(act, milliseconds)),
};
const ledgers = new FakeLedgers({
  clockwork,
  deployed: { program, authority, paysTwice: false },
  delays: NO_DELAYS,
});
const treasury = new Treasury({ ledgers, clockwork, program });
treasury.createWallet(authority, LAMPORTS);

async function promiseMany(many: ManySchedules): Promise<Promised[]> {
  const { schedules, recipients, tokens, windows, first, interval, batchTimeout } = many;
  const random = new Random(1);
  const vaults = [];
  for (let number = 0; number < tokens; number++) {
    vaults.push(await treasury.createVault(drawAddress(random), await treasury.createToken(drawAddress(random))));
  }
  const promised: Promised[] = [];
  for (let place = 0; place < schedules; place++) {
    const vault = vaults[place % tokens] as (typeof vaults)[number];
    const list = await drawList(random, { count: recipients, mint: vault.token.mint, program });
    const schedule = await treasury.createSchedule({
      vault,
      id: BigInt(place),
      list,
      every: interval,
      batchTimeout,
      firstExecution: first,
      executions: windows,
      funded: windows,
    });
    const leaves = list.recipients.map(({ balance: _, bump: __, ...leaf }) => leaf);
    promised.push({ schedule, recipients: leaves });
  }
  return promised;
}

const shown = (account: LedgerAccount | null) =>
  account && {
    data: [Buffer.from(account.data).toString('base64'), 'base64'],
    owner: account.owner,
    lamports: Number(account.lamports),
    executable: false,
    rentEpoch: 0,
    space: account.data.length,
  };

type Filter = { readonly memcmp: { readonly offset: number; readonly bytes: string } };
type Asked = { readonly commitment?: Commitment; readonly filters?: readonly Filter[] };

/** What a call is answered. */
function answer(chain: Chain, method: string, params: readonly unknown[]): unknown {
  const [first, options = {}] = params as [unknown, Asked?];
  const slot = Number(ledgers.blockHeight(chain));
  const context = { slot };
  switch (method) {
    case 'getMultipleAccounts': {
      const { commitment = 'confirmed' } = options;
      const read = ledgers.accounts(chain, first as Address[], { commitment });
      return { context: { slot: Number(read.slot) }, value: read.accounts.map(shown) };
    }
    case 'getProgramAccounts': {
      const holding = (options.filters ?? []).map(({ memcmp }) => ({
        at: memcmp.offset,
        bytes: Uint8Array.from(getBase58Encoder().encode(memcmp.bytes)),
      }));
      const found = ledgers.programAccounts(chain, holding);
      return found.map((account) => ({ pubkey: account.address, account: shown(account) }));
    }
    case 'getLatestBlockhash': {
      const { blockhash, lastValidBlockHeight } = ledgers.lifetime(chain);
      return { context, value: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) } };
    }
    case 'getBlockHeight':
      return slot;
    case 'getSignatureStatuses': {
      const found = (first as Signature[]).map((signature) => ledgers.status(chain, signature));
      const value = found.map((status) => status && { slot, err: status.err, confirmationStatus: status.commitment });
      return { context, value };
    }
    // Every instruction is answered alike: a layer without read permissions.
    case 'simulateTransaction':
      return { context, value: { err: null, logs: [] } };
    case 'sendTransaction': {
      const sent = ledgers.send(chain, first as string);
      if (sent.kind === 'refused') throw new Error(JSON.stringify(sent.err));
      return '';
    }
    default:
      throw new Error(`There is no ${method} here.`);
  }
}

async function serve(chain: Chain): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params: unknown[];
    };
    let said: object;
    try {
      said = { jsonrpc: '2.0', id, result: answer(chain, method, params ?? []) };
    } catch (error) {
      said = { jsonrpc: '2.0', id, error: { code: -32_002, message: (error as Error).message } };
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.on('message', async (told: Told) => {
  if ('promise' in told) return say({ done: await promiseMany(told.promise) });
  const behindMs = Date.now() - told.setClock * 1_000;
  for (const chain of [ledgers.base, ledgers.layer]) chain.behindMs = behindMs;
  return say({ done: [] });
});
say({ urls: [await serve(ledgers.base), await serve(ledgers.layer)] });
