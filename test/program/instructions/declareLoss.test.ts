import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY } from '../fixtures/constants.ts';
import { declareLoss, initConfig } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

describe('declare_loss', () => {
  it('notes when, and says when it takes effect', () => {
    const { changes, events } = effectIn(declareLoss);
    expect(changes).toEqual({ config: { lossDeclaredAt: [0n, START] } });
    expect(events).toEqual([{ __kind: 'LossDeclared', finalAt: START + BigInt(DAY) }]);
  });

  it('counts with the grace time of the config', () => {
    const scene = done(initConfig);
    const { world } = scene;
    must(world.base.send(build.updateGuardian(world, { newGuardian: world.guardian, lossGrace: 90 * DAY })));
    world.setTime(START + 5n);
    const { changes, events } = effectOf(declareLoss, scene, build.declareLoss(world));
    expect(changes).toEqual({ config: { lossDeclaredAt: [0n, START + 5n] } });
    expect(events).toEqual([{ __kind: 'LossDeclared', finalAt: START + 5n + BigInt(90 * DAY) }]);
  });

  it('happens once: the grace time does not begin anew', () => {
    const scene = done(declareLoss);
    const { world } = scene;
    world.setTime(START + 5n);
    expect(refusal(declareLoss, scene, build.declareLoss(world))).toBe('LayerLost');
    world.setTime(START + BigInt(2 * DAY));
    expect(refusal(declareLoss, scene, build.declareLoss(world))).toBe('LayerLost');
  });

  it('needs both keys', () => {
    const { scene } = declareLoss.prepare();
    const { world } = scene;
    const { governance, guardian, stranger } = world;
    expect(refusal(declareLoss, scene, build.declareLoss(world, stranger, guardian))).toBe('NotGovernance');
    expect(refusal(declareLoss, scene, build.declareLoss(world, guardian, guardian))).toBe('NotGovernance');
    expect(refusal(declareLoss, scene, build.declareLoss(world, governance, stranger))).toBe('NotGuardian');
    expect(refusal(declareLoss, scene, build.declareLoss(world, governance, governance))).toBe('NotGuardian');
  });
});
