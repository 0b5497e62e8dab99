import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keepShownSlots, readShownSlots } from '../src/payout/shownSlots.ts';

const RPC = 'https://node.example/?api-key=secret';
const SHOWN = { confirmed: 120, finalized: 90, at: 1_000 };

it('is kept for each RPC apart, whose address is not told', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'payouts-slots-')), 'sent');
  expect(await readShownSlots(folder, RPC)).toBeUndefined();
  await keepShownSlots(folder, RPC, SHOWN);
  expect(await readShownSlots(folder, RPC)).toEqual(SHOWN);
  expect(await readShownSlots(folder, 'http://127.0.0.1:8899')).toBeUndefined();
  const names = await readdir(folder);
  expect(names).toHaveLength(1);
  expect(names.join()).not.toMatch(/secret|node|json/);
});

it('is nothing where the file is half written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-slots-'));
  await keepShownSlots(folder, RPC, SHOWN);
  const [name] = await readdir(folder);
  await writeFile(join(folder, name as string), '{"confirmed":');
  expect(await readShownSlots(folder, RPC)).toBeUndefined();
});

it('stops no command where it can neither be kept nor read', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'payouts-slots-')), 'file');
  await writeFile(folder, '');
  await keepShownSlots(folder, RPC, SHOWN);
  expect(await readShownSlots(folder, RPC)).toBeUndefined();
});
