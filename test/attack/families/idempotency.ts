import { randomUUID } from 'node:crypto';
import { type Attack, attack, type Family, judge, refused, seenIn, unless } from '../attack.ts';
import { registrationOf, type Scene } from '../scene.ts';
import type { Tenant } from '../service.ts';

const INVALID = ['idempotency-key-invalid'] as const;

/** The employer uses a key; returns it. */
async function used(scene: Scene): Promise<string> {
  const key = randomUUID();
  const { service } = scene;
  const answer = await scene.register(
    registrationOf(service.employer),
    { 'idempotency-key': key },
    { from: '127.8.8.8' },
  );
  if (answer.status !== 200) throw new Error(`The employer's repeat was answered ${seenIn(answer)}.`);
  return key;
}

const badKey = (what: string, key: string | readonly string[]): Attack =>
  refused(`an Idempotency-Key ${what}`, INVALID, (scene) =>
    scene.register(registrationOf(scene.service.employer), { 'idempotency-key': key }),
  );

/** Somebody who knows no list tries keys: what they are told must not say which is used. */
const oracle = (what: string, body: (scene: Scene) => string): Attack =>
  attack(
    `finding out which keys are used: ${what}`,
    'the same answer',
    async (scene) => {
      const headers = { 'idempotency-key': await used(scene) };
      const taken = await scene.register(body(scene), headers);
      const free = await scene.register(body(scene), { 'idempotency-key': randomUUID() });
      return unless(taken.status !== free.status || taken.code !== free.code, `${seenIn(taken)} and ${seenIn(free)}`);
    },
    { wasFound: true },
  );

/** An entry of nobody, for a list that no ledger knows. */
const made = (schedule: string, recipient: string) =>
  JSON.stringify({ schedulePda: schedule, recipients: [{ index: 0, recipient, amount: '5', salt: '00'.repeat(16) }] });

export const idempotency: Family = {
  title: 'keys of requests that are repeated',
  attacks: [
    oracle('by a list for no schedule', ({ stranger }) => made(stranger.address, stranger.address)),
    attack(
      "using another employer's key first, so that theirs is refused",
      'the other employer is served',
      async (scene) => {
        const key = randomUUID();
        const { rival, employer } = scene.service;
        await scene.register(registrationOf(rival as Tenant), { 'idempotency-key': key });
        const answer = await scene.register(
          registrationOf(employer),
          { 'idempotency-key': key },
          { from: '127.8.8.8' },
        );
        return unless(answer.status !== 200 && answer.status !== 201, seenIn(answer));
      },
      { needs: ['rival'], wasFound: true },
    ),
    refused("the employer's key with another list for the same schedule", ['list-conflict'], async (scene) =>
      scene.register(made(scene.service.employer.schedule, scene.stranger.address), {
        'idempotency-key': await used(scene),
      }),
    ),
    refused(
      "the employer's key at another process with another list",
      ['list-conflict'],
      async (scene) =>
        scene.register(
          made(scene.service.employer.schedule, scene.stranger.address),
          { 'idempotency-key': await used(scene) },
          { at: 1 },
        ),
      { needs: ['two'] },
    ),
    attack('a used key with an empty list, to be told that it was answered before', 'no replay', async (scene) => {
      const answer = await scene.register(`{"schedulePda":"${scene.service.employer.schedule}","recipients":[]}`, {
        'idempotency-key': await used(scene),
      });
      return answer.headers['idempotency-replayed'] === undefined
        ? judge(answer, ['invalid-body'])
        : unless(true, 'replayed');
    }),
    attack('one key for ten lists at once, of which one is right', 'one is taken', async (scene) => {
      const headers = { 'idempotency-key': randomUUID() };
      const { employer } = scene.service;
      const wrong = made(employer.schedule, scene.stranger.address);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          scene.register(at === 5 ? registrationOf(employer) : wrong, headers, { at }),
        ),
      );
      const taken = answers.filter(({ status }) => status < 300).length;
      return unless(taken > 1 || answers.some(({ status }) => status >= 500), `${taken} taken`);
    }),
    badKey('of 256 characters', 'k'.repeat(256)),
    badKey('that is empty', ''),
    badKey('with a space', 'a b'),
    badKey('with a tab', 'a\tb'),
    badKey('with other letters', 'schlüssel'),
    badKey('with an open quote', '"abc'),
    badKey('twice', [randomUUID(), randomUUID()]),
  ],
};
