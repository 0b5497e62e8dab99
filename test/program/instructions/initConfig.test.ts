import { derive } from '@payouts/testing/litesvm/addresses';
import { LEDGER_PROGRAM, programDataOf } from '@payouts/testing/litesvm/programs';
import { must, World } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, LIMITS } from '../fixtures/constants.ts';
import { initConfig } from '../fixtures/index.ts';
import { readConfig } from '../harness/read.ts';
import { rewrite } from '../harness/write.ts';
import { created, effectIn, refusal, refusalOfSecond } from './support/call.ts';
import { BAD_LIMITS, GOOD_LIMITS } from './support/limits.ts';
import { NOBODY } from './support/window.ts';

type Change = Parameters<typeof build.initConfig>[1];

describe('init_config', () => {
  it('writes roles, limits and grace time', () => {
    const { scene, changes, events } = effectIn(initConfig);
    const { base, governance, guardian, authority, validator } = scene.world;
    const rent = base.minimumBalance(384);
    expect(changes).toEqual({
      upgradeAuthority: { lamports: -rent },
      config: {
        ...created(1, 384, rent),
        bump: derive(LEDGER_PROGRAM, 'config').bump,
        maxRecipients: 1_048_576,
        governance,
        executionAuthority: authority,
        validator,
        minInterval: 60,
        minBatchTimeout: 10,
        maxBatchTimeout: 86_400,
        maxClaims: 1_000,
        guardian,
        lossGrace: 86_400,
      },
    });
    expect(events).toEqual([{ __kind: 'ConfigCreated' }]);
  });

  it('happens once', () => {
    expect(refusalOfSecond(initConfig)).toBe('AccountAlreadyInitialized');
  });

  it.each<[string, Change]>([
    ['a grace time of 90 days', { lossGrace: 90 * DAY }],
    ['both switches', { flags: 3 }],
    ...GOOD_LIMITS.map(
      (limits) => [JSON.stringify(limits), { limits: { ...LIMITS, ...limits } }] satisfies [string, Change],
    ),
  ])('takes %s', (_, change) => {
    const { scene } = initConfig.prepare();
    must(scene.world.base.send(build.initConfig(scene.world, change)));
    const { limits, ...others } = { limits: {}, ...change };
    expect(readConfig(scene.world)).toMatchObject({ ...limits, ...others });
  });

  describe('refuses', () => {
    const world = new World();
    it.each<[string, Change]>([
      ['one key for governance and guardian', { guardian: world.governance }],
      ['nobody for a guardian', { guardian: NOBODY }],
      ['nobody for governance', { governance: NOBODY }],
      ['nobody for the execution authority', { executionAuthority: NOBODY }],
      ['nobody for the validator', { validator: NOBODY }],
      ['a grace time a second short of a day', { lossGrace: DAY - 1 }],
      ['a grace time a second beyond 90 days', { lossGrace: 90 * DAY + 1 }],
      ['an unknown switch', { flags: 4 }],
      ['an unknown switch beside known ones', { flags: 131 }],
      ...BAD_LIMITS.map(
        (limits) => [JSON.stringify(limits), { limits: { ...LIMITS, ...limits } }] satisfies [string, Change],
      ),
    ])('%s', (_, change) => {
      expect(refusal(initConfig, { world }, build.initConfig(world, change))).toBe('InvalidConfig');
    });
  });

  it('is for nobody when there is no upgrade authority', () => {
    const { scene, instruction } = initConfig.prepare();
    rewrite(scene.world, programDataOf(LEDGER_PROGRAM), ({ data }) => ({ data: data.with(12, 0) }));
    expect(refusal(initConfig, scene, instruction)).toBe('NotUpgradeAuthority');
  });
});
