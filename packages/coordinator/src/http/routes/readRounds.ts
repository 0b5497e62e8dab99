import { CROWD_STEPS, millisOf, type Time } from '@payouts/client';
import { type Static, Type } from 'typebox';
import { scheduleAddress } from '../../domain/address.ts';
import type { Db } from '../../store/schema.ts';
import { roundsView } from '../../withdrawals/roundsView.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { Address, Closed, Count, Decimal, Millis, Nullable, OneOf } from '../schemaParts.ts';

const MS_PER_SECOND = 1_000;

const People = Type.Enum([0, ...CROWD_STEPS], {
  type: 'integer',
  description: 'So many or more, and fewer than the next of these numbers',
});

export const RoundsAnswer = Closed({
  mint: Address('Of the token'),
  size: Nullable(Decimal('Base units of each part, the same for everybody; null: none is set for this token')),
  nextSize: Nullable(
    Closed({ size: Decimal('Base units'), from: Millis('from which on it holds') }, { description: 'What follows' }),
  ),
  nextAt: Millis('of the next round'),
  latestAt: Millis(
    'when a part that is asked for now leaves at the latest, if it is one of the first six of its balance that wait',
  ),
  laterAt: Millis('the same of those beyond, which may leave in a later round'),
  expected: Closed({
    at: Millis('when it leaves by the public calendars'),
    reason: OneOf(
      ['limit', 'nobody-else'],
      'limit: it has waited as long as a part waits; nobody-else: no window that falls due before its limit would add others',
    ),
  }),
  waiting: Nullable(
    Closed({ people: People }, { description: 'Who waited when the last round had passed; null: nobody' }),
  ),
  recent: Type.Array(
    Closed({ at: Millis('of the round'), parts: Count('That left, as the base ledger shows it'), people: People }),
    { description: 'The last six rounds in which parts left, the latest first' },
  ),
  largest: Nullable(
    Closed(
      {
        at: Millis('of the round'),
        recipients: Count('Who are paid before it, as far as each of them can have a part of it'),
      },
      { description: 'The round that follows the windows by which most people are paid next' },
    ),
  ),
});

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const EXAMPLE: Static<typeof RoundsAnswer> = {
  mint,
  size: '500000000',
  nextSize: null,
  nextAt: 1_796_083_200_000,
  latestAt: 1_796_299_200_000,
  laterAt: 1_796_904_000_000,
  expected: { at: 1_796_126_400_000, reason: 'nobody-else' },
  waiting: { people: 30 },
  recent: [{ at: 1_795_478_400_000, parts: 712, people: 100 }],
  largest: { at: 1_796_126_400_000, recipients: 420 },
};

const schema = {
  operationId: 'readRounds',
  tags: ['recipients'],
  summary: "A token's rounds, in which equal parts of many people leave together",
  description:
    'The size of its parts, when the next ones leave, and among how many people. It changes at rounds alone, so that looking and joining ' +
    'tell nothing about anybody. Windows that pay less than a part count for nothing, and neither do parts of another size. Public.',
  params: Type.Object({ mint: Address('Of the token', mint) }),
  response: {
    ...readProblems('invalid-address', 'invalid-query'),
    200: json('The rounds', RoundsAnswer, EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/rounds/:mint */
export function readRoundsRoute(
  app: Api,
  { database, time }: { readonly database: Db; readonly time: Pick<Time, 'now'> },
): void {
  app.get('/api/rounds/:mint', { schema, config: { limit: 'read' } }, async (request) => {
    const named = scheduleAddress(request.params.mint);
    const now = BigInt(Math.floor(time.now() / MS_PER_SECOND));
    const { size, nextSize, nextRound, latest, later, expected, waiting, recent, largest } = await roundsView(
      database,
      named,
      now,
    );
    return {
      mint: named,
      size: size?.toString() ?? null,
      nextSize: nextSize ? { size: nextSize.size.toString(), from: millisOf(nextSize.from) } : null,
      nextAt: millisOf(nextRound),
      latestAt: millisOf(latest),
      laterAt: millisOf(later),
      expected: { at: millisOf(expected.round), reason: expected.reason },
      waiting,
      recent: recent.map(({ round, ...rest }) => ({ at: millisOf(round), ...rest })),
      largest: largest ? { at: millisOf(largest.round), recipients: largest.recipients } : null,
    };
  });
}
