import { Command } from 'commander';
import { expect, it } from 'vitest';
import { CLUSTER_HABITS, NO_HABITS, readHabits } from '../src/baseLedger/habits.ts';
import { addClusterOptions, habitsOf } from '../src/clusterOptions.ts';

/** All habits that words of a command line ask for. */
const habits = (...words: readonly string[]) => {
  const command = addClusterOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return readHabits({ ...habitsOf(command.parse(words, { from: 'user' }).opts()) });
};

it('has no habit of a cluster unless it is asked for, and then each alone', () => {
  expect(habits()).toEqual(NO_HABITS);
  const limits = { calls: CLUSTER_HABITS.calls, callsPerMethod: CLUSTER_HABITS.callsPerMethod };
  const { landMs, finalMs, lostShare, baseBid, behindMs, websocketMs } = CLUSTER_HABITS;
  for (const [word, habit] of Object.entries({
    landing: { landMs },
    finality: { finalMs },
    'lost-sends': { lostShare },
    'fee-market': { baseBid },
    'nodes-behind': { behindMs },
    'call-limits': { ...limits, saysRetryAfter: true },
    'no-history': { hasHistory: false },
    'no-program-accounts': { listsAccounts: false },
    'cut-websockets': { websocketMs },
  })) {
    expect(habits(`--${word}`)).toEqual({ ...NO_HABITS, ...habit });
  }
});

it('takes other figures, also 0 for none, in units that people use', () => {
  const words = ['--landing', '1.5', '--finality', '0', '--lost-sends', '50', '--load', '7', '--cut-websockets', '0'];
  const figures = { landMs: 1_500, finalMs: 0, lostShare: 0.5, loadSends: 7 };
  expect(habits(...words)).toEqual({ ...NO_HABITS, ...figures });
  expect(habits('--cluster')).toEqual(CLUSTER_HABITS);
  expect(habits('--cluster', '--no-retry-after', ...words)).toEqual({
    ...CLUSTER_HABITS,
    ...figures,
    saysRetryAfter: false,
    websocketMs: null,
  });
});

it('refuses figures that make no sense', () => {
  for (const words of [
    ['--landing', 'soon'],
    ['--finality', '-1'],
    ['--lost-sends', '101'],
  ]) {
    expect(() => habits(...words)).toThrow(/Give a figure/);
  }
});
