import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crowdText,
  leavingText,
  MOST_PARTS,
  MOST_WITHDRAWALS,
  nextSizeText,
  PARTS_AT_ONCE,
  planRound,
  planStanding,
  type RecipientBalance,
  type TokenRounds,
  type WithdrawalUnderWay,
  walletsText,
  whyNoPart,
} from '../src/index.ts';

const underWay = (inRound: boolean, id: number): WithdrawalUnderWay => ({
  ...{ id, number: null, amount: 1n, wallet: 'wallet' as Address, state: 'waiting', releaseAt: 1, inRound },
});
const balance = (amount: bigint, waits: readonly boolean[] = []) =>
  ({ amount, withdrawals: waits.map(underWay), standing: [] }) as unknown as RecipientBalance;

describe('the plan of a token', () => {
  it('takes parts of each balance, and leaves what is below a part', () => {
    const [small, large] = [balance(620n), balance(1_730n)];
    const { from, ...plan } = planRound({ balances: [small, large] }, 500n, 'all');
    expect(plan).toEqual({ size: 500n, parts: 4, later: 0, total: 2_000n, rest: 350n });
    expect(from).toEqual([
      { balance: large, parts: 3, later: 0 },
      { balance: small, parts: 1, later: 0 },
    ]);
    expect(planRound({ balances: [small, large] }, 500n, 1_400n)).toMatchObject({ parts: 2, total: 1_000n });
  });

  it('says how many leave in a later round: those beyond the first six of a balance that wait', () => {
    const rich = balance(5_000n, [true, true, true, false]);
    expect(planRound({ balances: [rich] }, 500n, 'all')).toMatchObject({ parts: 9, later: 6 });
    expect(planRound({ balances: [rich] }, 500n, 1_700n)).toMatchObject({ parts: 3, later: 0 });
    expect(planRound({ balances: [balance(4_000n), balance(1_000n)] }, 500n, 'all')).toMatchObject({
      ...{ parts: 10, later: 2 },
      from: [
        { parts: 8, later: 2 },
        { parts: 2, later: 0 },
      ],
    });
  });

  it('says why there is none', () => {
    const [full, some] = [
      balance(
        900n,
        Array.from({ length: MOST_PARTS }, () => true),
      ),
      balance(300n),
    ];
    expect(whyNoPart({ balances: [balance(0n)] }, 500n)).toBe('nothing');
    expect(whyNoPart({ balances: [some, some] }, 500n)).toBe('below-part');
    expect(whyNoPart({ balances: [some, full] }, 500n)).toBe('parts-waiting');
    expect(planRound({ balances: [some, full] }, 500n, 'all').parts).toBe(0);
  });

  it('is never of more than there is, nor of more parts than leave at a time', () => {
    const some = fc.record({ amount: fc.bigInt(0n, 20_000n), waits: fc.array(fc.boolean(), { maxLength: 16 }) });
    const amount = fc.oneof(fc.constant('all' as const), fc.bigInt(1n, 20_000n));
    fc.assert(
      fc.property(fc.array(some, { maxLength: 3 }), fc.bigInt(1n, 3_000n), amount, (all, size, asked) => {
        const balances = all.map((each) => balance(each.amount, each.waits));
        const { from, parts, total, rest } = planRound({ balances }, size, asked);
        const waiting = all.flatMap(({ waits }) => waits).filter(Boolean).length;
        expect(parts === 0 || parts + waiting <= MOST_PARTS).toBe(true);
        expect(asked === 'all' || total <= asked).toBe(true);
        expect(total + rest).toBe(all.reduce((sum, each) => sum + each.amount, 0n));
        expect(from.every((each) => each.parts > 0 && each.parts <= PARTS_AT_ONCE)).toBe(true);
        for (const own of balances) {
          const taken = from.filter(({ balance: of }) => of === own).reduce((sum, each) => sum + each.parts, 0);
          expect(BigInt(taken) * size).toBeLessThanOrEqual(own.amount);
          expect(taken === 0 || taken + own.withdrawals.length <= MOST_WITHDRAWALS).toBe(true);
        }
      }),
    );
  });
});

describe('parts that stand ready', () => {
  const paid = (standing: number, waiting = 0, place: object | null = {}) =>
    ({
      ...balance(0n, Array(waiting).fill(true)),
      ...{ place, standing: Array(standing).fill({ amount: 500n }) },
    }) as unknown as RecipientBalance;
  const planned = (...balances: readonly RecipientBalance[]) => planStanding({ balances });

  it('are as many as leave at a time, shared out among the balances that were paid into', () => {
    const [one, other, unpaid] = [paid(0), paid(2), paid(0, 0, null)];
    expect(planned(one)).toEqual([
      { balance: one, parts: PARTS_AT_ONCE },
      { balance: one, parts: MOST_PARTS - PARTS_AT_ONCE },
    ]);
    expect(planned(one, other, unpaid)).toEqual([
      { balance: one, parts: 6 },
      { balance: other, parts: 4 },
    ]);
    expect(planned(unpaid)).toEqual([]);
    expect(planned(paid(MOST_PARTS))).toEqual([]);
  });

  it('leave places for what is asked for in between, and take none that are taken', () => {
    expect(planned(paid(1, 9))).toMatchObject([{ parts: 2 }]);
    expect(planned(paid(0, 14))).toEqual([]);
    expect(MOST_WITHDRAWALS).toBeGreaterThan(MOST_PARTS);
  });
});

describe('what somebody reads before they join a round', () => {
  const rounds: TokenRounds = {
    ...{ mint: 'mint' as Address, size: 500n, nextSize: null, nextAt: 1, latestAt: 9, laterAt: 19, waiting: null },
    expected: { at: 4, reason: 'nobody-else' },
    recent: [{ at: 1, parts: 400, people: 100 }],
    largest: { at: 7, recipients: 1_250 },
  };
  const at = (time: number) => `day ${time}`;

  it('is among how many they leave, and how often they are found', () => {
    expect(crowdText(rounds, 4, at)).toEqual({
      isHidden: true,
      sentences: [
        '100 people or more leave in a round.',
        'Whoever knows your pay finds a wallet of yours 1 time in 100.',
      ],
    });
  });

  it('is that they can’t hide below twenty people, and what would help', () => {
    const few = { ...rounds, recent: [{ at: 1, parts: 3, people: 10 }] as const };
    const { isHidden, sentences } = crowdText(few, 4, at);
    expect([isHidden, sentences[0]]).toEqual([false, "You can't hide now: fewer than 20 people leave in a round."]);
    expect(sentences[2]).toContain('just before day 7: 1,250 people are paid before that round.');
    expect(crowdText({ ...few, largest: null }, 12, at).sentences.slice(1)).toEqual([
      'Whoever knows your pay finds your wallets.',
      'Leave the money where it is until more people take theirs out in rounds.',
    ]);
  });

  it('is when they leave', () => {
    const all = { parts: 6, later: 0 };
    expect(leavingText(rounds, all, at)).toMatch(/^They leave on day 4, .*; on day 9 at the latest\.$/);
    const full: TokenRounds = { ...rounds, expected: { at: 9, reason: 'limit' } };
    expect(leavingText(full, all, at)).toBe('They leave on day 9 at the latest.');
    expect(leavingText(full, { parts: 10, later: 4 }, at)).toBe(
      '6 of them leave on day 9 at the latest. The others leave then or in a later round, on day 19 at the latest.',
    );
    expect(leavingText(full, { parts: 2, later: 2 }, at)).toBe('They leave on day 19 at the latest.');
  });

  it('is which size parts have next, and from when on', () => {
    const amount = (baseUnits: bigint) => `${baseUnits} USDC`;
    expect(nextSizeText(rounds, amount, at)).toBeUndefined();
    const nextSize = { size: 200n, from: 30 };
    expect(nextSizeText({ ...rounds, nextSize }, amount, at)).toBe('A part is 200 USDC from day 30 on.');
  });

  it('is that one wallet for several parts, or one that is known, says more', () => {
    const [own, one, other] = ['own', 'one', 'other'] as Address[] as [Address, Address, Address];
    const said = (wallets: readonly Address[], known = rounds) =>
      walletsText({ wallets, owner: own, rounds: known }, 500n, (baseUnits) => `${baseUnits} USDC`);
    expect(said([one, other])).toEqual([]);
    expect(said([one, own])).toEqual([expect.stringContaining('your employer pays')]);
    // Four parts to one wallet: everybody sees their sum; the step below is three.
    const [sum, steady] = said([one, one, other, one, one]);
    expect(sum).toMatch(/^Everybody sees that one person gets 2000 USDC in this round: 4 parts go to one wallet\./);
    expect(steady).toMatch(
      /leave the rest inside: 1500 USDC\..* finds it 1 time in 20; with 3 wallets, .* 1 time in 133\.$/,
    );
    const [, few] = said([one, one], { ...rounds, recent: [{ at: 1, parts: 3, people: 0 }] });
    expect(few).toMatch(/finds it 1 time in 1; with 2 wallets, .* 1 time in 1\.$/);
  });

  it('is no chance of parts that one wallet gets: it hides by none of them', () => {
    expect(crowdText(rounds, 4, at, false).sentences[1]).toMatch(/^Whoever knows your pay finds one wallet/);
  });
});
