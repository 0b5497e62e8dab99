import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { sessionCode, signDelegation, signRequest, signRequestWithBody, systemTime } from '@payouts/client';
import { payoutHere } from '@payouts/testing/payout';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { createSignerFromKeyPair, generateKeyPair, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

let world: World;
let employer: Employer;
let operator: KeyPairSigner;
let session: KeyPairSigner;
let delegation: string;
const operatorFile = () => join(world.folder, 'operator.json');

beforeAll(async () => {
  world = await World.start();
  operator = await readOrCreateKey(operatorFile());
  session = await createSignerFromKeyPair(await generateKeyPair());
  employer = await world.employer(await somePayees(3, 9_310_011n), { executions: 1, batchTimeout: 600 });
});

const settings = (): Record<string, string> => ({ OPERATORS: operator.address, STAGE_RETRY_MS: '100' });

/** What an operator without a wallet in the browser does: the command, with the code that the page shows. */
async function signInByCommand(): Promise<string> {
  const words = ['sign-in', sessionCode({ session: session.address, encryption: null }), '--api', world.apiUrl];
  const { code, out, err } = await payoutHere({}, ...words, '--keypair', operatorFile());
  expect(code, err).toBe(0);
  expect(err).toContain(operator.address);
  return out.trim();
}

/** What a wallet in the browser does. */
const signInByWallet = (wallet: KeyPairSigner): Promise<string> =>
  signDelegation(wallet, {
    origin: new URL(world.apiUrl).origin,
    wallet: wallet.address,
    session: session.address,
    encryption: null,
    expires: Math.floor(Date.now() / 1_000) + 3_000,
  });

/** What these tests look at one by one. */
type Answer = { readonly buckets: readonly { readonly settled: number }[] };

/** A request as the page sends it: signed by the session, for the wallet that has signed it in. */
async function send(method: 'GET' | 'POST', path: string, content?: unknown) {
  const url = `${world.apiUrl}${path}`;
  const body = content === undefined ? undefined : JSON.stringify(content);
  const signed = { signer: session, time: systemTime, url, method, delegation };
  const headers = body === undefined ? await signRequest(signed) : await signRequestWithBody({ ...signed, body });
  const answer = await fetch(url, { method, headers: headers as Record<string, string>, ...(body && { body }) });
  return { status: answer.status, json: (await answer.json()) as Answer };
}

const run = async () =>
  (await (await fetch(`${world.apiUrl}/api/schedules/${employer.schedule}/executions/0`)).json()) as {
    readonly state: string;
  };

it('an exhausted run that a signed-in operator resumes over HTTP ends settled', async () => {
  await world.localnet.killLayer();
  await world.startCoordinator({ ...settings(), STAGE_PATIENCE_MS: '1' });
  await world.register(employer);
  await world.runIn(employer, 'exhausted');
  delegation = await signInByCommand();
  expect((await send('GET', '/api/session')).json).toMatchObject({ wallet: operator.address, isOperator: true });
  const seen = await send('GET', '/api/runs?state=exhausted');
  expect(seen.json).toMatchObject({
    runs: [{ schedulePda: employer.schedule, window: '0' }],
    counts: { exhausted: 1 },
  });
  expect(await run()).toMatchObject({ advice: { sentence: 'The execution layer does not answer.' } });

  const path = `/api/runs/${employer.schedule}/0/resume`;
  delegation = await signInByWallet(employer.signer);
  expect(await send('POST', path)).toMatchObject({ status: 403, json: { code: 'not-permitted' } });
  delegation = await signInByCommand();
  await world.localnet.restartLayer();
  // The layer may not be ready yet, which ends the patience of this service again.
  const statuses: number[] = [];
  await until(
    async () => {
      statuses.push((await send('POST', path)).status);
      return (await run()).state === 'settled';
    },
    'the run to be settled',
    90_000,
  );
  expect(statuses[0]).toBe(202);
  await world.settled(employer, 0n, 90_000);
  expect(await send('POST', path)).toMatchObject({ status: 409, json: { code: 'run-not-stopped' } });
  const { json } = await send('GET', '/api/series?range=1h');
  const settled = json.buckets.filter((bucket) => bucket.settled > 0);
  expect(settled).toMatchObject([{ settled: 1, claims: 3, p50Ms: expect.any(Number) }]);
});

it('an operator compares both ledgers with the database over HTTP', async () => {
  expect(await send('POST', '/api/reconcile', { fix: true })).toMatchObject({
    status: 200,
    json: { compared: { schedules: 1, vaults: 1, tokens: 1 }, isComplete: true, isLayerCompared: true, remaining: 0 },
  });
});

it('an employer who signed in sees their schedules, and nobody else does', async () => {
  delegation = await signInByWallet(employer.signer);
  expect(await send('GET', '/api/employers/me/schedules')).toMatchObject({
    status: 200,
    json: { schedules: [{ schedulePda: employer.schedule }], nextCursor: null },
  });
  expect((await send('GET', `/api/schedules/${employer.schedule}/recipients`)).status).toBe(200);
  expect((await send('GET', '/api/overview')).status).toBe(403);
  delegation = await signInByCommand();
  expect((await send('GET', '/api/employers/me/schedules')).json).toEqual({ schedules: [], nextCursor: null });
  expect((await send('GET', `/api/schedules/${employer.schedule}/recipients`)).status).toBe(403);
});
