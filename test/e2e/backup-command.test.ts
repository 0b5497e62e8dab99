import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { payout } from '@payouts/testing/payout';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { variedPayees } from '@payouts/testing/wallets';
import { HOUR, World } from '@payouts/testing/world';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';

const RECIPIENTS = 10;

let world: World;
let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres(systemTime, { withClients: true });
});
// Each its own: windows of one would be overdue by the clock that the other has moved.
beforeEach(async () => {
  world = await World.start();
}, 400_000);
afterEach(() => world?.stop());

it.each(['embedded', 'PostgreSQL'])(
  'pays nobody twice after a backup is restored: %s',
  { timeout: 600_000 },
  async (kind) => {
    const employer = await world.employer(await variedPayees(RECIPIENTS, 1_000_000n), { executions: 4 });
    const at = async (name: string) => ({
      ...world.settings,
      DATA_DIR: join(world.folder, `${kind}-${name}`),
      PAYLOAD_KEY: world.payloadKey,
      ...(kind === 'PostgreSQL' && { DATABASE_URL: await postgres.createDatabase() }),
    });
    const original = await at('original');
    const file = join(world.folder, `${kind}.backup`);
    const operate = async (settings: Record<string, string>, ...words: string[]) => {
      const { code, out, err } = await payout(settings, 'operator', ...words);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      return out;
    };

    await world.startCoordinator(original);
    await world.registerAndSettle(employer);
    // The coordinator runs meanwhile.
    const made = JSON.parse(await operate(original, 'backup', file, '--json')) as Record<string, unknown>;
    expect(made).toMatchObject({ runs: kind === 'embedded' ? 1 : expect.any(Number), payloadKey: expect.any(String) });
    expect(await operate({}, 'backup', 'verify', file)).toContain('Sound: ');
    await world.localnet.admin.advanceClock(HOUR);
    await world.settled(employer, 1n);
    await world.stopCoordinator();
    await world.checkPaid(2, employer);

    // The backup has never heard of window 1.
    const restored = await at('restored');
    expect(await operate(restored, 'restore', file)).toContain('Restored: ');
    const refused = await payout(restored, 'operator', 'restore', file);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('nothing is restored over it') });
    // Exit code 3 says that something remains, such as a run that its engine hears of with the next start.
    const compared = await payout(restored, 'operator', 'reconcile', '--fix', '--json');
    expect([0, 3]).toContain(compared.code);
    const { differences } = JSON.parse(compared.out) as { differences: { kind: string; isHealed: boolean }[] };
    expect(differences).toContainEqual(expect.objectContaining({ kind: 'run-missing', isHealed: true }));
    await world.startCoordinator(restored);
    await world.localnet.admin.advanceClock(HOUR);
    await world.settled(employer, 2n);
    await world.checkPaid(3, employer);
    const runs = await world.executions(employer);
    expect(runs.map(({ window, state, rebuilt }) => `${window} ${state}${rebuilt ? ' rebuilt' : ''}`)).toEqual([
      '2 settled',
      '1 settled rebuilt',
      '0 settled',
    ]);
    await world.stopCoordinator();
  },
);
