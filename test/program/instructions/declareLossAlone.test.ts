import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, FIRST, TIMEOUT } from '../fixtures/constants.ts';
import { createSchedule, declareLossAlone, delegateSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, declare } from './support/scenes.ts';
import { open, payAndEnd } from './support/window.ts';

/** From here on the ledger shows that the layer has kept the window's batch for too long. */
const SILENT = FIRST + BigInt(TIMEOUT + 30 * DAY);

describe('declare_loss_alone', () => {
  it('declares the loss with one key where a batch has been away for thirty days beyond its timeout', () => {
    const { changes, events } = effectIn(declareLossAlone);
    expect(changes).toEqual({ config: { lossDeclaredAt: [0n, SILENT] } });
    expect(events).toEqual([{ __kind: 'LossDeclared', finalAt: SILENT + BigInt(DAY) }]);
  });

  it.each(['governance', 'guardian'] as const)('takes the key of %s, and not a second before', (role) => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    const call = build.declareLossAlone(world[role], schedule);
    world.setTime(SILENT - 1n);
    expect(refusal(declareLossAlone, scene, call)).toBe('LayerNotSilent');
    world.setTime(SILENT);
    effectOf(declareLossAlone, scene, call);
  });

  it('can’t be kept back by a key that refuses for ever: its second revocation comes too late', () => {
    const scene = done(declareLossAlone);
    const { world, schedule } = scene;
    must(world.base.send(build.revokeLoss(world.guardian)));
    effectOf(declareLossAlone, scene, build.declareLossAlone(world.governance, schedule));
    expect(world.base.send(build.revokeLoss(world.guardian)).failure).toBe('RevokedRecently');
    world.setTime(world.now + BigInt(DAY));
    expect(world.base.send(build.revokeLoss(world.guardian)).failure).toBe('LayerLost');
  });

  describe('refuses', () => {
    it('a batch that has come back, settled or not', () => {
      const scene = open(done(createSchedule));
      const { world, schedule } = scene;
      payAndEnd(scene);
      world.setTime(SILENT + BigInt(DAY));
      const call = build.declareLossAlone(world.governance, schedule);
      expect(refusal(declareLossAlone, scene, call)).toBe('LayerNotSilent');
    });

    it('a schedule without an open window, and the batch of another', () => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      const { schedule: other } = addSchedule(scene, 2n);
      world.setTime(SILENT);
      expect(refusal(declareLossAlone, scene, build.declareLossAlone(world.guardian, other))).toBe('WindowNotOpen');
      for (const mixed of [
        { ...other, batch: schedule.batch },
        { ...schedule, batch: other.batch },
      ]) {
        const call = build.declareLossAlone(world.guardian, mixed);
        expect(refusal(declareLossAlone, scene, call)).toBe('InvalidAddress');
      }
    });

    it('what is declared already', () => {
      const { scene, instruction } = declareLossAlone.prepare();
      declare(scene.world);
      expect(refusal(declareLossAlone, scene, instruction)).toBe('LayerLost');
    });
  });
});
