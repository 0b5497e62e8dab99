import {
  findCounterAddress,
  findPoolAddress,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  RECOVERY_SECONDS,
} from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkBalance } from '../src/http/recipients/relay.ts';
import type { BalanceUse } from '../src/http/recipients/transaction.ts';
import type { LedgerAccount } from '../src/ledger/ledger.ts';
import { FakeBalances } from './support/fakeBalances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { personalAccount } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';

const START = 1_800_000_000_000;
const NOW = BigInt(START / 1_000);
const [mint, otherMint] = [randomAddress(), randomAddress()];
const [recipient, recoverer, next] = [randomAddress(), randomAddress(), randomAddress()];
const [mine, theirs] = [randomAddress(), randomAddress()];
const pages = new FakeBalances(mint, program);
for (const page of [1, 2]) pages.makePage(page);
const [page, otherPage] = [pages.addressOf(1), pages.addressOf(2)];

const changesAt = NOW + BigInt(RECOVERY_SECONDS);
const recovery = {
  recoveryWallet: recoverer,
  recoveryNextWallet: next,
  recoveryNextSince: changesAt,
};
const accounts: LedgerAccount[] = [
  ...pages.accounts(),
  personalAccount({ mint, recipient, page, ...recovery }, { address: mine }),
  personalAccount({ mint, recipient: randomAddress(), page }, { address: theirs }),
];

/** Has a transaction checked that does this with a balance, so many seconds from now. */
const check = (use: BalanceUse, after = 0) => {
  const time = manualTime(START + after * 1_000);
  const input = { layer: layerShowing(() => accounts), program, time, draining: new AbortController().signal };
  return checkBalance(input, { use } as never);
};
const use = (fields: Partial<BalanceUse> = {}): BalanceUse => {
  return { recipient, by: 'recipient', personal: mine, opens: false, ...fields };
};

let counter: Address;
let pool: Address;
let others: { readonly counter: Address; readonly pool: Address };
beforeAll(async () => {
  [counter, pool] = [await findCounterAddress(mint), await findPoolAddress(mint)];
  others = { counter: await findCounterAddress(otherMint), pool: await findPoolAddress(otherMint) };
});

describe('a transaction of a recipient is passed on', () => {
  it('when each account is theirs, with the page, counter and pool of its own', async () => {
    await check(use());
    await check(use({ page, counter, pool }));
  });

  it('and refused in the same words when an account is somebody else’s, nowhere, a page, or of another program', async () => {
    const foreign = personalAccount({ mint, recipient }, { program: randomAddress() });
    accounts.push(foreign);
    const sentence = (checked: Promise<unknown>) =>
      checked.then(
        () => 'passed on',
        (error: Error) => error.message,
      );
    const said = new Set<string>();
    for (const personal of [theirs, randomAddress(), page, foreign.address]) {
      const refused = check(use({ personal }));
      await expect(refused).rejects.toMatchObject({ code: 'not-permitted' });
      said.add(await sentence(refused));
    }
    said.add(await sentence(check(use({ page: otherPage, counter, pool }))));
    expect(said.size).toBe(1);
  });

  it('and refused with the counter or pool of another token', async () => {
    for (const wrong of [
      { counter: others.counter, pool },
      { counter, pool: others.pool },
    ]) {
      await expect(check(use({ page, ...wrong }))).rejects.toMatchObject({ code: 'invalid-transaction' });
    }
  });

  it('when it makes an account for a balance of a page, whose counter pays', async () => {
    const opening = { opens: true, personal: randomAddress(), counter };
    await check(use({ ...opening, page }));
    for (const wrong of [randomAddress(), mine]) {
      await expect(check(use({ ...opening, page: wrong }))).rejects.toMatchObject({ code: 'not-permitted' });
    }
    const refused = check(use({ ...opening, page, counter: others.counter }));
    await expect(refused).rejects.toMatchObject({ code: 'invalid-transaction' });
  });

  it('from whoever may recover the balance at that time, and from nobody else', async () => {
    const by = 'recoveryWallet' as const;
    await check(use({ by, recipient: recoverer }));
    await expect(check(use({ by }))).rejects.toMatchObject({ code: 'not-permitted' });
    await expect(check(use({ by, recipient: next }))).rejects.toMatchObject({ code: 'not-permitted' });
    await check(use({ by, recipient: next }), RECOVERY_SECONDS);
    await expect(check(use({ by, recipient: recoverer }), RECOVERY_SECONDS)).rejects.toMatchObject({
      code: 'not-permitted',
    });
    // They act for no balance without being asked for.
    await expect(check(use({ recipient: recoverer }))).rejects.toMatchObject({ code: 'not-permitted' });
  });
});
