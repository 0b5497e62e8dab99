import { describe, expect, it } from 'vitest';
import { observed, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';

describe('a standing order', () => {
  const orderWallet = randomAddress();
  const order = { orderThreshold: 500n, orderPart: 100n, orderWallet };

  it('draws its next part when the one before is paid, so that parts lie apart', () => {
    expect(observed({ ...order, withdrawals: [underWay({ wallet: orderWallet })] }).isOrderUnderWay).toBe(true);
    expect(observed({ ...order, withdrawals: [underWay({ wallet: orderWallet, number: 7n })] }).isOrderUnderWay).toBe(
      true,
    );
    // The same place, free again.
    expect(observed({ ...order, withdrawals: [underWay({ wallet: orderWallet, amount: 0n })] }).isOrderUnderWay).toBe(
      false,
    );
  });

  it('does not wait for what its recipient takes to other wallets', () => {
    expect(observed({ ...order, withdrawals: [underWay(), underWay({ id: 2, dueAt: 9n })] }).isOrderUnderWay).toBe(
      false,
    );
  });
});
