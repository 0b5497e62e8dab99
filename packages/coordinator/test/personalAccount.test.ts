import {
  addressToBytes,
  MOST_WITHDRAWALS,
  type PersonalArgs,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
} from '@payouts/client';
import { describe, expect, it } from 'vitest';
import {
  NUMBERED,
  type ObservedPersonal,
  observedPersonal,
  ofMint,
  WAITING,
  WATCHED,
} from '../src/balances/personal.ts';
import { holds } from './support/fakeLayer.ts';
import { observed, personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';

describe('a standing order', () => {
  const orderWallet = randomAddress();
  const order = { orderThreshold: 500n, orderPart: 100n, orderWallet };

  it('draws its next part when the one before is paid, so that parts lie apart', () => {
    const isUnderWay = (fields: Parameters<typeof underWay>[0]) =>
      observed({ ...order, withdrawals: [underWay({ wallet: orderWallet, ...fields })] }).isOrderUnderWay;
    expect(isUnderWay({})).toBe(true);
    expect(isUnderWay({ number: 7n })).toBe(true);
    // The same place, free again.
    expect(isUnderWay({ amount: 0n })).toBe(false);
  });

  it('does not wait for what its recipient takes to other wallets', () => {
    const others = [underWay(), underWay({ id: 2, dueAt: 9n })];
    expect(observed({ ...order, withdrawals: others }).isOrderUnderWay).toBe(false);
  });
});

describe('a personal account', () => {
  const [mint, recipient, page, wallet] = Array.from({ length: 4 }, randomAddress) as Four;
  type Four = [typeof program, typeof program, typeof program, typeof program];
  const owner = new Uint8Array(32).fill(7);
  const fields: Partial<PersonalArgs> = {
    ...{ mint, owner, recipient, page, slot: 253, delivery: 1, waiting: 2n ** 63n },
    ...{ orderThreshold: 11n, orderWallet: wallet, orderPart: 12n, orderDelayMin: 13, orderDelayMax: 14 },
    withdrawals: [
      underWay({ id: 9, number: 2n ** 40n, amount: 15n, wallet, dueAt: 1_800_000_000n }),
      underWay({ amount: 0n }),
      underWay({ id: 4_000_000_000, amount: 2n ** 64n - 1n, wallet, dueAt: -1n }),
      underWay({ id: 12, amount: 17n, wallet, inRound: 2 }),
      underWay({ id: 11, amount: 16n, wallet, inRound: 2 }),
    ],
  };

  it('is read as the generated client writes it', () => {
    const account = personalAccount(fields);
    const personal = observedPersonal(account, program) as ObservedPersonal;
    const { address } = account;
    const expected = {
      ...{ address, mint, owner, recipient, page, slot: 253, isDelivery: true, waiting: 2n ** 63n },
      ...{ threshold: 11n, orderWallet: wallet, orderPart: 12n, delays: { least: 13, most: 14 } },
    };
    for (const [name, value] of Object.entries(expected)) {
      expect([name, personal[name as keyof ObservedPersonal]]).toEqual([name, value]);
    }
    const shared = { personal, owner, wallet, inRound: false };
    expect(personal.withdrawals()).toEqual([
      { ...shared, number: 2n ** 40n, amount: 15n, dueAt: 1_800_000_000n, id: 9 },
      { ...shared, number: 0n, amount: 2n ** 64n - 1n, dueAt: -1n, id: 4_000_000_000 },
    ]);
    expect(personal.standing()).toEqual([
      { id: 11, amount: 16n, wallet },
      { id: 12, amount: 17n, wallet },
    ]);
    expect(personal.hasRoom).toBe(true);
    expect(observed({ orderDelayMax: 0, orderDelayMin: 0 }).delays).toBeUndefined();
  });

  it('tells transfers to payment codes from withdrawals to wallets', () => {
    const code = addressToBytes(wallet);
    const paying = observed({ withdrawals: [underWay({ id: 3, wallet, toCode: 1 }), underWay({ id: 4, inRound: 1 })] });
    expect(paying.transfers()).toMatchObject([{ id: 3, amount: 1n, code }]);
    expect(paying.withdrawals()).toMatchObject([{ id: 4, inRound: true }]);
    expect(observed({ withdrawals: [underWay({ toCode: 1 })] }).isIdle).toBe(false);
  });

  it('is none of another program, of another kind, or where nothing is', () => {
    const account = personalAccount(fields);
    expect(observedPersonal(account, randomAddress())).toBeUndefined();
    expect(observedPersonal({ ...account, data: account.data.with(0, 5) }, program)).toBeUndefined();
    expect(observedPersonal(null, program)).toBeUndefined();
  });

  it('is found by what is to be done for it', () => {
    const numbered = personalAccount({ mint, withdrawals: [underWay({ number: 1n })] });
    const waits = personalAccount({ mint, withdrawals: [underWay({ amount: 0n }), underWay()] });
    const [ordered, delivers] = [personalAccount({ mint, orderThreshold: 1n }), personalAccount({ mint, delivery: 1 })];
    const accounts = [numbered, waits, ordered, delivers, personalAccount({ mint })];
    const found = (filters: typeof NUMBERED) => accounts.filter((account) => holds(account, filters));
    expect(found(NUMBERED)).toEqual([numbered]);
    expect(found(WAITING)).toEqual([waits]);
    expect(found(WATCHED)).toEqual([ordered, delivers]);
    expect(found([...NUMBERED, ofMint(addressToBytes(mint))])).toEqual([numbered]);
    expect(found([...NUMBERED, ofMint(addressToBytes(wallet))])).toEqual([]);
  });

  it('can be closed when nothing is under way or stands', async () => {
    const named = { recoveryWallet: wallet };
    expect(observed({ withdrawals: [underWay({ amount: 0n })] }).isIdle).toBe(true);
    for (const standing of [{ withdrawals: [underWay()] }, { orderThreshold: 1n }, { delivery: 1 }, named]) {
      expect(observed(standing).isIdle).toBe(false);
    }
  });

  it('has room for a withdrawal as long as one of its places is free', () => {
    const full = Array.from({ length: MOST_WITHDRAWALS }, (_, id) => underWay({ id }));
    expect(observed({ withdrawals: full }).hasRoom).toBe(false);
    expect(observed({ withdrawals: full.with(7, underWay({ amount: 0n })) }).hasRoom).toBe(true);
    expect(observed({ withdrawals: [] }).hasRoom).toBe(false);
  });
});
