import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchSchedule, SchedulePhase } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import { CollateralService } from '@payouts/testing/tee/collateralService';
import { type Gateway, gatewayOf, type QuoteKind } from '@payouts/testing/tee/gateway';
import { Maker } from '@payouts/testing/tee/maker';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, until, World } from '@payouts/testing/world';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

const MR_TD = Buffer.alloc(48, 0xab);
/** Nothing was started after the first memory. */
const RTMRS = Object.fromEntries([0, 1, 2, 3].map((each) => [`rtMr${each}`, '00'.repeat(48)]));
const AMOUNT = 5n;
const LOOK_MS = 100;
/** A little longer than a quote counts. */
const QUOTE_AGE_MS = 1_100;

let world: World;
let maker: Maker;
let collateral: CollateralService;
let gateway: Gateway;

beforeAll(async () => {
  world = await World.start();
  maker = await Maker.found();
  collateral = await CollateralService.start(maker);
  gateway = await gatewayOf(world, { maker, otherMaker: await Maker.found(), mrTd: MR_TD });
  writeFileSync(join(world.folder, 'pinned.json'), JSON.stringify({ mrTd: MR_TD.toString('hex'), ...RTMRS }));
  const pem = `-----BEGIN CERTIFICATE-----\n${maker.rootDer.toString('base64')}\n-----END CERTIFICATE-----\n`;
  writeFileSync(join(world.folder, 'maker.pem'), pem);
});
afterEach(async () => {
  await world.stopCoordinator();
  Object.assign(gateway, { quotes: 'good', admits: true, tokenLifeMs: 600_000, graceMs: 0 });
  collateral.revokes = false;
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  LAYER_RPC_URL: gateway.url,
  LAYER_SIGN_IN: 'true',
  LAYER_MEASUREMENTS: join(world.folder, 'pinned.json'),
  LAYER_QUOTE_ROOT: join(world.folder, 'maker.pem'),
  LAYER_COLLATERAL_URL: collateral.url,
  HOLD_RECHECK_MS: '300',
  STAGE_RETRY_MS: '100',
  ...more,
});

async function employer(windows: number): Promise<Employer> {
  const made = await world.employer(await somePayees(1, AMOUNT), {
    executions: windows,
    calendar: everySeconds(1),
    batchTimeout: 600,
  });
  await world.register(made);
  return made;
}

/** Waits until the first window's run is held with this code; returns what it says. */
async function held(of: Employer, code: string): Promise<string> {
  for (;;) {
    const [run] = await world.executions(of);
    if (run?.state === 'held' && run.errorCode === code) return run.errorDetail ?? '';
    if (run?.state === 'settled') throw new Error('The window was settled.');
    await sleep(LOOK_MS);
  }
}

describe('a private execution layer', () => {
  it('is signed in to and trusted by its quote, whose hash stands in the history', async () => {
    await world.startCoordinator(settings());
    const made = await employer(1);
    const { attempts } = await world.settled(made, 0n);
    const hashes = attempts.map(({ stage, quoteHash }) => [stage, quoteHash]);
    const last = gateway.given.at(-1);
    expect(hashes).toEqual([
      ['delegate', last],
      ['claim', last],
      ['commit', null],
    ]);
    expect(gateway.given).toHaveLength(1);
    expect(gateway.signIns).toBe(1);
    await world.checkMoneyRules(made);
  });

  it('gets no window while its quote is bad, and the next one by itself once it is good', async () => {
    const saying: Record<Exclude<QuoteKind, 'good'>, string> = {
      none: 'quote-unavailable',
      noise: 'quote-invalid',
      'other-maker': 'quote-invalid',
      replayed: 'challenge-mismatch',
      'wrong-measurement': 'measurement-unknown',
      debuggable: 'quote-invalid',
      'other-key': 'key-mismatch',
    };
    await world.startCoordinator(settings({ LAYER_QUOTE_MAX_AGE_SECONDS: '1' }));
    for (const [kind, code] of Object.entries(saying)) {
      gateway.quotes = kind as QuoteKind;
      await sleep(QUOTE_AGE_MS);
      const made = await employer(1);
      expect(await held(made, 'layer-untrusted')).toContain(`(${code})`);
      const { data } = await fetchSchedule(world.ledgers.base, made.schedule);
      expect([data.window, data.phase]).toEqual([0n, SchedulePhase.Idle]);
      gateway.quotes = 'good';
      const { attempts } = await world.settled(made, 0n);
      expect(gateway.given).toContain(attempts.findLast(({ stage }) => stage === 'delegate')?.quoteHash);
      await world.checkMoneyRules(made);
    }
  });

  it('is not trusted on a platform that its maker has revoked, until that is taken back', async () => {
    collateral.revokes = true;
    await world.startCoordinator(settings());
    const made = await employer(1);
    expect(await held(made, 'layer-untrusted')).toContain('(platform-revoked)');

    // It goes on by itself once that is taken back.
    collateral.revokes = false;
    await world.settled(made, 0n);
    await world.checkMoneyRules(made);
  });

  it('is tried by `config check`, which says what is wrong with it', async () => {
    const check = async () => {
      const { code, printed } = await runCommand({ ...world.settings, ...settings() }, 'config', 'check');
      return { code, layer: printed.split('\n').filter((line) => line.includes('execution layer: ')) };
    };
    const validator = world.localnet.validatorIdentity;
    expect(await check()).toEqual({
      code: 0,
      layer: [
        `✔ execution layer: it is ${validator}, as the program's config says`,
        '✔ execution layer: it has no read permissions, and runs on this machine',
        `✔ execution layer: it is trusted by the quote ${gateway.given.at(-1)}`,
      ],
    });
    gateway.quotes = 'other-key';
    gateway.admits = false;
    expect(await check()).toEqual({
      code: 1,
      layer: [
        "✖ execution layer: it does not let the execution authority sign in: have the layer's operator admit it",
        '! execution layer: it could not be tried whether it has read permissions',
        `✖ execution layer: it can't be trusted: The quote was made for another key than ${validator}. (key-mismatch)`,
      ],
    });
  });

  it('signs in again before a token ends, and when one is taken back', async () => {
    // None is refused for its age, so that it is renewed in time or not at all.
    Object.assign(gateway, { tokenLifeMs: 3_000, graceMs: 600_000 });
    const before = gateway.signIns;
    await world.startCoordinator(settings());
    const made = await employer(6);
    await world.settled(made, 2n);
    gateway.revokeTokens();
    await world.settled(made, 5n);
    await until(async () => gateway.signIns > before + 3, 'more sign-ins');
    expect(
      new Set((await world.executions(made)).flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome))),
    ).toEqual(new Set(['succeeded']));
  });

  it('that lets the execution authority in no more holds its windows until it does again', async () => {
    gateway.admits = false;
    gateway.revokeTokens();
    await world.startCoordinator(settings());
    const made = await employer(1);
    await held(made, 'layer-sign-in-refused');
    gateway.admits = true;
    await world.settled(made, 0n);
    expect(await readFile(world.coordinatorLog, 'utf8')).not.toMatch(/token=/);
  });
});
