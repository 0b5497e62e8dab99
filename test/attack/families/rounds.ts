import { PARTS_AT_ONCE, RecipientClient, systemTime } from '@payouts/client';
import { generateKeyPairSigner } from '@solana/kit';
import { attack, type Family, seenIn, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';
import type { Tenant } from '../service.ts';

/** What anybody reads of the rounds of a tenant's token. */
async function roundsOf(scene: Scene, tenant: Tenant) {
  const { body } = await scene.ask({ path: scene.of(tenant) });
  const { mint } = JSON.parse(body) as { mint: string };
  return scene.ask({ path: `/api/rounds/${mint}` });
}

/** Milliseconds between two looks whether what was asked for waits. */
const LOOK_MS = 250;

/** What a schedule promises, to however many, must decide nothing for others: it costs no more than the fees. */
const chosenSize = attack(
  'choosing the size of everybody’s parts by promising little to many',
  'no size: no operator has set one',
  async (scene) => {
    const answer = await roundsOf(scene, scene.service.long);
    if (answer.status !== 200) return { outcome: 'otherwise', seen: seenIn(answer) };
    const { size } = JSON.parse(answer.body) as { size: string | null };
    return unless(size !== null, `size ${size}`);
  },
);

/** Parts of a base unit each: as many as one request has room for. */
const DUST = PARTS_AT_ONCE;

/** Who fills a round would seem to be many, and read by looking again and again who else joins it. What people read changes at rounds alone. */
const filled = attack(
  'filling the next round with parts of one base unit, to be seen as many in it',
  'the same as before, until the round',
  async (scene) => {
    const { employer, recipient } = scene.service;
    const before = await roundsOf(scene, employer);
    const client = new RecipientClient({ apiUrl: scene.url(), signer: recipient, time: systemTime });
    const all = async () => (await client.balances()).balances;
    const [balance] = await all();
    if (balance === undefined) return unless(true, 'no balance');
    const wallets = await Promise.all(
      Array.from({ length: DUST }, async () => (await generateKeyPairSigner()).address),
    );
    await client.withdrawInRound(balance, { size: 1n, wallets });
    const waiting = async () =>
      (await all()).flatMap(({ withdrawals }) => withdrawals.filter(({ inRound }) => inRound));
    while ((await waiting()).length < DUST) await systemTime.pause(LOOK_MS);
    const after = await roundsOf(scene, employer);
    for (const { id } of await waiting()) await client.cancel(balance, id);
    if (after.status !== 200) return { outcome: 'otherwise', seen: seenIn(after) };
    return unless(after.body !== before.body, after.body === before.body ? 'the same' : after.body);
  },
  { needs: ['rival'] },
);

export const rounds: Family = { title: 'rounds', attacks: [chosenSize, filled] };
