const MOST = 2 ** 31 - 1;
const given = process.env.PAYOUTS_TEST_SEED ?? '1';
if (!/^[0-9]{1,10}$/.test(given) || Number(given) > MOST) {
  throw new Error(`PAYOUTS_TEST_SEED takes a whole number from 0 to ${MOST}: "${given}" is none.`);
}

/**
 * From which tests draw what they draw by chance: the same for every run, so that a run says something of what was changed and nothing
 * of its luck. `npm run test:random` sets the variable to another one each time.
 */
export const seed = Number(given);
