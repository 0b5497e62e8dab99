import {
  type getHoldRecipientInstruction,
  getScheduleDecoder,
  getScheduleSize,
  parseHoldRecipientInstruction,
  ScheduleStatus,
} from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { expect, it } from 'vitest';
import { holdRecipient, releaseRecipient } from '../src/changes/hold.ts';
import type { OwnSchedule } from '../src/session.ts';

const ROOT = new Uint8Array(32).fill(7);
const OTHER_ROOT = new Uint8Array(32).fill(8);

it('holds a place only of the list that is promised: in another one it is somebody else’s', async () => {
  const [employer, vault, address, ada, ben] = await Promise.all(Array.from({ length: 5 }, generateKeyPairSigner));
  if (!employer || !vault || !address || !ada || !ben) throw new Error('no keys');
  const fresh = getScheduleDecoder().decode(new Uint8Array(getScheduleSize()));
  const schedule = { ...fresh, root: ROOT, rootVersion: 3, status: ScheduleStatus.Active, recipients: 2 };
  const token = { mint: address.address, decimals: 6, name: 'USDC' };
  const session = { employer, token, vault: { address: vault.address }, address: address.address, timeText: String };
  const own = { ...session, schedule } as unknown as OwnSchedule;
  const recipients = [
    { recipient: ada.address, amount: 1n, index: 0 },
    { recipient: ben.address, amount: 2n, index: 1 },
  ];
  const held = holdRecipient(own, { recipient: ben.address, list: { root: ROOT, recipients } });
  expect(held.result).toEqual({ schedule: address.address, indexes: [1] });
  // So that it is refused where another list is in force by the time that it lands.
  const sent = held.steps.flat(2) as ReturnType<typeof getHoldRecipientInstruction>[];
  expect(sent.map((step) => parseHoldRecipientInstruction(step).data)).toMatchObject([{ rootVersion: 3, index: 1 }]);
  for (const change of [holdRecipient, releaseRecipient]) {
    expect(() => change(own, { recipient: ben.address, list: { root: OTHER_ROOT, recipients } })).toThrow(
      expect.objectContaining({ code: 'list-changed' }),
    );
  }
});
