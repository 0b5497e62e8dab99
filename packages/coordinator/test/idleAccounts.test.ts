import {
  addressToBytes,
  getWipedPersonalEncoder,
  PAYOUT_LEDGER_ERROR__PERSONAL_TOO_RECENT,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PersonalArgs,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LedgerAccount } from '../src/ledger/ledger.ts';
import { addSchedule } from './support/addSchedule.ts';
import { personalAccount } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { useStore } from './support/stores.ts';
import { START, type WorkerOver, workerOver } from './support/withdrawalWorker.ts';

const store = useStore();
const NOW = BigInt(START / 1_000);
const MINUTE = 60n;
/** Milliseconds after which whoever looks for idle accounts looks again. */
const LOOK_MS = 10_000;

let mint: Address;
let accounts: LedgerAccount[];
beforeEach(async () => {
  mint = randomAddress();
  await addSchedule(store.query, { mint });
  accounts = [];
});

const worker = (more: Partial<WorkerOver> = {}) =>
  workerOver({ database: store.query, mint, accounts: () => accounts, ...more });

/** An account of which something was asked once, and nothing is left. */
function idle(fields: Partial<PersonalArgs> = {}): Address {
  const account = personalAccount({ mint, madeAt: NOW - MINUTE, nextId: 2, ...fields });
  accounts.push(account);
  return account.address;
}

function wiped(wipedAt: bigint, token = mint): Address {
  const address = randomAddress();
  const data = getWipedPersonalEncoder().encode({
    ...{ bump: 1, mint: token, wipedAt, nonce: new Uint8Array(16), zeros: new Uint8Array(312) },
  });
  accounts.push({ address, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, lamports: 1n, data: Uint8Array.from(data) });
  return address;
}

describe('an account of which nothing is left', () => {
  it('is wiped a minute after it was made', async () => {
    const old = idle();
    idle({ madeAt: NOW - MINUTE + 1n });
    expect(await (await worker()).poll()).toEqual([{ act: 'wipe', personal: old }]);
  });

  it('is closed a minute after it was wiped', async () => {
    const old = wiped(NOW - MINUTE);
    wiped(NOW - MINUTE + 1n);
    expect(await (await worker()).poll()).toEqual([{ act: 'close', personal: old }]);
  });

  it('is found by its state at the next look, whoever wiped it', async () => {
    const { poll, time } = await worker();
    expect(await poll()).toEqual([]);
    const [one, other] = [idle(), wiped(NOW - MINUTE)];
    await time.advance(LOOK_MS - 1);
    expect(await poll()).toEqual([]);
    await time.advance(1);
    // They go side by side: which is sent first is left to chance.
    expect(new Set(await poll())).toEqual(
      new Set([
        { act: 'wipe', personal: one },
        { act: 'close', personal: other },
      ]),
    );
  });

  it('is tried again at the next look when the layer refuses', async () => {
    const personal = wiped(NOW - MINUTE);
    const { poll, time } = await worker({ execute: () => PAYOUT_LEDGER_ERROR__PERSONAL_TOO_RECENT });
    expect(await poll()).toEqual([{ act: 'close', personal }]);
    await time.advance(LOOK_MS);
    expect(await poll()).toEqual([{ act: 'close', personal }]);
  });

  it('is left alone when it is of a token that nobody registered', async () => {
    wiped(NOW - MINUTE, randomAddress());
    expect(await (await worker()).poll()).toEqual([]);
  });
});

describe('an account is kept', () => {
  it.each<[string, Partial<PersonalArgs>]>([
    ['that was made and never used: its recipient is about to ask for something', { nextId: 1 }],
    ['for whose balance a recovery wallet is named', { recoveryWallet: randomAddress() }],
    ['for whose balance one will be', { recoveryNextWallet: randomAddress() }],
    ['of a delivery', { delivery: 1, watched: 1 }],
    ['with a standing order', { orderThreshold: 1n << 60n, orderWallet: randomAddress() }],
  ])('%s', async (_, fields) => {
    idle({ owner: addressToBytes(randomAddress()), ...fields });
    expect((await (await worker()).poll()).filter(({ act }) => act === 'wipe')).toEqual([]);
  });
});
