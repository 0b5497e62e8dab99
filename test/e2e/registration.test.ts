import { type RecipientJson, recipientsToJson } from '@payouts/client';
import { rounds } from '@payouts/testing/rounds';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import { beforeAll, describe, expect, it } from 'vitest';

describe('POST /api/schedules', () => {
  let world: World;
  let employer: Employer;
  let recipients: RecipientJson[];

  beforeAll(async () => {
    world = await World.shared();
    await world.startCoordinator({ METRICS_PUBLIC: 'true' });
    const payees = await somePayees(5, 1_234_567n);
    employer = await world.employer(payees, { executions: 1, firstExecution: inSeconds(86_400) });
    recipients = recipientsToJson(employer.list.recipients);
  });

  const post = async (body: unknown) => {
    const response = await fetch(`${world.apiUrl}/api/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const registered = async () =>
    ((await (await fetch(`${world.apiUrl}/api/health`)).json()) as { schedulesRegistered: number }).schedulesRegistered;
  const list = (change: (entry: RecipientJson, index: number) => Partial<RecipientJson>) => ({
    schedulePda: employer.schedule,
    recipients: recipients.map((entry, index) => ({ ...entry, ...change(entry, index) })),
  });
  const first = (change: Partial<RecipientJson>) => list((_, index) => (index === 0 ? change : {}));

  it.each<[string, number, string, () => unknown]>([
    ['a body that is not JSON', 400, 'invalid-json', () => '{"schedulePda": '],
    ['a body without a list', 400, 'invalid-body', () => ({ schedulePda: employer.schedule })],
    ['a malformed address', 400, 'invalid-address', () => ({ schedulePda: 'not-an-address', recipients })],
    [
      'a schedule that is not on the ledger',
      404,
      'schedule-not-found',
      () => ({ schedulePda: employer.signer.address, recipients }),
    ],
    [
      'a list that is too short',
      422,
      'count-mismatch',
      () => ({ schedulePda: employer.schedule, recipients: recipients.slice(0, 4) }),
    ],
    ['a wrong total', 422, 'total-mismatch', () => first({ amount: '1234568' })],
    ['a list that does not rebuild the root', 422, 'root-mismatch', () => first({ salt: '00'.repeat(16) })],
    ['an amount that is not a number', 422, 'invalid-recipient', () => first({ amount: '12.5' })],
    ['a malformed recipient', 422, 'invalid-recipient', () => first({ recipient: 'nobody' as never })],
    ['another delivery than promised', 422, 'root-mismatch', () => first({ delivery: 'wallet' })],
  ])('refuses %s and stores nothing', async (_, status, code, body) => {
    const answer = await post(body());
    expect(answer).toMatchObject({ status, type: expect.stringContaining('application/problem+json') });
    const problem = JSON.parse(answer.text) as { code: string; title: string; status: number };
    expect(problem).toMatchObject({ code, status });
    expect(problem.title.length).toBeGreaterThan(10);
    for (const { recipient, salt } of recipients) {
      expect(answer.text).not.toContain(recipient);
      expect(answer.text).not.toContain(salt);
    }
    expect(answer.text).not.toContain('1234567');
    expect(await registered()).toBe(0);
  });

  it('takes the right list once, says so when it comes again, and shows nothing private of it', async () => {
    const body = { schedulePda: employer.schedule, recipients };
    expect((await post(body)).status).toBe(201);
    expect((await post(body)).status).toBe(200);
    // Counted again when what was counted last is a moment old.
    await until(async () => (await registered()) === 1, 'the schedule to be counted');
    const shown = await fetch(`${world.apiUrl}/api/schedules/${employer.schedule}`);
    const text = await shown.text();
    expect(shown.status).toBe(200);
    for (const { recipient, salt, amount } of recipients) {
      for (const secret of [recipient, salt, `"${amount}"`]) expect(text).not.toContain(secret);
    }
    expect((await fetch(`${world.apiUrl}/api/schedules/${employer.signer.address}`)).status).toBe(404);
    expect((await fetch(`${world.apiUrl}/api/schedules/nonsense`)).status).toBe(400);
    await rounds(world, 'scheduler');
    expect(await world.executions(employer)).toEqual([]);
  });
});
