import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyPairSigner } from '@solana/kit';
import { type Attack, attack, type Family, judge, refused, unless } from '../attack.ts';
import { type Call, DOES, signedCalls } from '../calls.ts';
import type { Scene } from '../scene.ts';
import type { Tenant } from '../service.ts';

const FORBIDDEN = ['not-permitted'] as const;
/** Answered to whoever signs, each about themselves. */
const OWN: ReadonlySet<string> = new Set([
  'readSession',
  'listOwnSchedules',
  'listHeldGrants',
  'listNotices',
  'listInvitations',
  'listAddressChanges',
]);
/** Of whoever has made it: nobody else is told that it is there. */
const HIDDEN: Readonly<Record<string, string>> = {
  confirmNotice: 'notice-not-found',
  removeNotice: 'notice-not-found',
  removeInvitation: 'invitation-not-found',
  removeAddressChange: 'address-change-not-found',
};
/** What is refused to recipients, too, unless both keys have signed it. */
const PROVEN = ['not-permitted', 'invalid-address-change'];
/** What the dashboard shows: open to everybody if it is set so. */
const SHOWN: ReadonlySet<string> = new Set(['readOverview', 'readSeries', 'listRuns', 'followEvents']);
/** What somebody of the list may read of themselves. */
const OF_RECIPIENTS: ReadonlySet<string> = new Set([
  'readRecipient',
  'readPayslips',
  'readBalances',
  'readHistory',
  'readProofs',
  'givePaymentCode',
]);

/** What a viewer may ask for the employer. */
const OF_VIEWERS: ReadonlySet<string> = new Set([
  'readRecipients',
  'readRecipient',
  'readPayslips',
  'exportPayslips',
  'readAudit',
  'listGrants',
  'createNotice',
]);

const needsOf = ({ operation }: Call) => (SHOWN.has(operation) ? (['hidden'] as const) : []);

const sentBy = (
  call: Call,
  who: string,
  signer: (scene: Scene) => KeyPairSigner | undefined,
  codes: readonly string[],
  more: readonly ('rival' | 'viewer')[] = [],
) =>
  refused(
    `${call.operation} by ${who}`,
    codes,
    async (scene) => {
      const { path, body } = call.request(scene);
      const key = signer(scene);
      const given = body === undefined ? {} : { body };
      if (key !== undefined) return scene.signed(key, { method: call.method, path, ...given });
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      return scene.ask({ method: call.method, path, ...given, headers });
    },
    { needs: [...needsOf(call), ...more] },
  );

const codesOf = ({ operation }: Call): readonly string[] => {
  if (operation === 'createAddressChange') return PROVEN;
  const hidden = HIDDEN[operation];
  return hidden === undefined ? FORBIDDEN : [hidden];
};

const other = ({ service }: Scene) =>
  service.employer.list.find(({ recipient }) => recipient !== service.recipient.address)?.recipient as string;

/** What somebody of the list may ask about themselves, asked about another one of it. */
const aboutAnother = (call: Call): Call =>
  OF_RECIPIENTS.has(call.operation)
    ? {
        ...call,
        request(scene) {
          const asked = call.request(scene);
          return { ...asked, path: asked.path.replace(scene.service.recipient.address, other(scene)) };
        },
      }
    : call;

const matrix: Attack[] = signedCalls.flatMap((call) => [
  sentBy(call, 'nobody', () => undefined, ['signature-missing']),
  ...(OWN.has(call.operation)
    ? []
    : [
        sentBy(call, 'a stranger', ({ stranger }) => stranger, codesOf(call)),
        sentBy(call, 'another employer', ({ service }) => service.rival?.signer, codesOf(call), ['rival']),
      ]),
  ...(OWN.has(call.operation) || OF_VIEWERS.has(call.operation)
    ? []
    : [sentBy(call, 'a viewer', ({ service }) => service.viewer, codesOf(call), ['viewer'])]),
  ...(OWN.has(call.operation)
    ? []
    : [sentBy(aboutAnother(call), 'somebody of the list', ({ service }) => service.recipient, codesOf(call))]),
]);

/** Another employer, under their own schedule, names what is this employer's. */
const confused: Attack[] = signedCalls
  .filter(
    ({ operation, method }) =>
      (DOES.has(operation) && !/^create(Webhook|Grant|Notice|Invitations|AddressChange)$/.test(operation)) ||
      (operation === 'listDeliveries' && method === 'GET'),
  )
  .map((call) =>
    refused(
      `${call.operation} of another employer's id under one's own schedule`,
      ['webhook-not-found', 'grant-not-found', ...Object.values(HIDDEN)],
      async (scene) => {
        const { path, body } = call.request(scene);
        const rival = scene.service.rival as Tenant;
        const own = path.replace(scene.service.employer.schedule, rival.schedule);
        return scene.signed(rival.signer, { method: call.method, path: own, ...(body === undefined ? {} : { body }) });
      },
      { needs: ['rival'] },
    ),
  );

type Grant = {
  readonly scope: 'totals' | 'recipients';
  readonly recipients?: readonly string[];
  readonly fromWindow?: string;
  readonly endsAt?: number;
};

/** Grants the stranger something, and returns the grant's id. */
async function grant(scene: Scene, { endsAt = Date.now() + 600_000, ...rest }: Grant): Promise<string> {
  const { employer } = scene.service;
  const body = JSON.stringify({ auditor: scene.stranger.address, endsAt, ...rest });
  const answer = await scene.signed(employer.signer, { method: 'POST', path: scene.of(employer, '/grants'), body });
  if (answer.status !== 201) throw new Error(`The employer's grant was answered ${answer.status}: ${answer.body}`);
  return (JSON.parse(answer.body) as { id: string }).id;
}

const granted = (
  what: string,
  given: (scene: Scene) => Grant,
  wants: (scene: Scene) => string,
  codes: readonly string[] = FORBIDDEN,
) =>
  refused(what, codes, async (scene) => {
    await grant(scene, given(scene));
    return scene.signed(scene.stranger, { path: wants(scene) });
  });
const about = (rest: (scene: Scene) => string) => (scene: Scene) => scene.of(scene.service.employer, rest(scene));
const TOTALS = () => ({ scope: 'totals' as const });
const ONE = ({ service }: Scene) => ({ scope: 'recipients' as const, recipients: [service.recipient.address] });
/** Of windows to come. */
const LATER = (scene: Scene) => ({ ...ONE(scene), fromWindow: '1' });

const invalidGrant = (what: string, body: (scene: Scene) => object, codes: readonly string[] = ['invalid-grant']) =>
  refused(`a grant ${what}`, codes, (scene) =>
    scene.signed(scene.service.employer.signer, {
      method: 'POST',
      path: scene.of(scene.service.employer, '/grants'),
      body: JSON.stringify({
        auditor: scene.stranger.address,
        scope: 'totals',
        endsAt: Date.now() + 600_000,
        ...body(scene),
      }),
    }),
  );

const auditors: Attack[] = [
  granted(
    'an auditor of totals reads the list',
    TOTALS,
    about(() => '/recipients'),
  ),
  granted(
    'an auditor of totals reads one recipient',
    TOTALS,
    about(({ service }) => `/recipients/${service.recipient.address}`),
  ),
  granted(
    'an auditor of totals reads payslips',
    TOTALS,
    about(({ service }) => `/recipients/${service.recipient.address}/payslips/0`),
  ),
  granted(
    'an auditor of totals exports payslips',
    TOTALS,
    about(() => '/payslips/0'),
  ),
  attack('an auditor of totals reads who else has grants', 'none but their own', async (scene) => {
    await grant(scene, TOTALS());
    const { body, status } = await scene.signed(scene.stranger, { path: scene.of(scene.service.employer, '/grants') });
    return unless(body.includes(scene.ids.grant) || body.includes('"uses"'), String(status));
  }),
  granted(
    'an auditor of totals reads webhooks',
    TOTALS,
    about(() => '/webhooks'),
  ),
  granted(
    'an auditor of one recipient reads another',
    ONE,
    about((scene) => `/recipients/${other(scene)}`),
  ),
  granted(
    'an auditor of one recipient reads payslips of another',
    ONE,
    about((scene) => `/recipients/${other(scene)}/payslips/0`),
  ),
  granted(
    'an auditor of one recipient reads the list',
    ONE,
    about(() => '/recipients'),
  ),
  granted(
    'an auditor of one recipient reads totals',
    ONE,
    about(() => '/audit'),
  ),
  granted(
    'an auditor of one recipient reads those whom a grant to somebody else names',
    ONE,
    about(({ ids }) => `/grants/${ids.grant}/payslips`),
  ),
  refused('an auditor reads named recipients by a grant of totals', FORBIDDEN, async (scene) => {
    const id = await grant(scene, TOTALS());
    return scene.signed(scene.stranger, { path: scene.of(scene.service.employer, `/grants/${id}/payslips`) });
  }),
  granted(
    'an auditor of later windows reads a payslip of one before',
    LATER,
    about(({ service }) => `/recipients/${service.recipient.address}/payslips/0`),
  ),
  granted(
    'an auditor of later windows reads receipts of all',
    LATER,
    about(({ service }) => `/recipients/${service.recipient.address}`),
  ),
  attack('an auditor reads what others were granted among what they were', 'none but their own', async (scene) => {
    const id = await grant(scene, TOTALS());
    const { body } = await scene.signed(scene.stranger, { path: '/api/auditors/me/grants' });
    return unless(body.includes(scene.ids.grant) || !body.includes(id), 'their own');
  }),
  granted(
    "an auditor of one recipient reads that one's money",
    ONE,
    ({ service }) => `/api/recipients/${service.recipient.address}/balances`,
  ),
  refused(
    'an auditor reads another schedule',
    FORBIDDEN,
    async (scene) => {
      await grant(scene, TOTALS());
      return scene.signed(scene.stranger, { path: scene.of(scene.service.rival as Tenant, '/audit') });
    },
    { needs: ['rival'] },
  ),
  refused('an auditor whose grant was revoked', FORBIDDEN, async (scene) => {
    const { employer } = scene.service;
    const id = await grant(scene, TOTALS());
    const path = scene.of(employer, '/audit');
    const before = await scene.signed(scene.stranger, { path });
    if (before.status !== 200) throw new Error(`The auditor was answered ${before.status} before.`);
    await scene.signed(employer.signer, { method: 'DELETE', path: scene.of(employer, `/grants/${id}`) });
    return scene.signed(scene.stranger, { path, at: 1 });
  }),
  attack('an auditor reads on when the time of the grant has passed', 'not-permitted', async (scene) => {
    // Longer, if it was over before it was asked for.
    let endsAt = 0;
    for (let lastsMs = 2_000; Date.now() >= endsAt; lastsMs *= 4) {
      endsAt = Date.now() + lastsMs;
      await grant(scene, { scope: 'totals', endsAt }).catch((error: unknown) => {
        if (Date.now() < endsAt) throw error;
      });
    }
    const path = scene.of(scene.service.employer, '/audit');
    // Not faster than a client may open connections: one that is let go by unanswered says nothing of the grant.
    while (Date.now() <= endsAt + 50) await scene.signed(scene.stranger, { path }).then(() => sleep(20));
    return judge(await scene.signed(scene.stranger, { path, at: 1 }), FORBIDDEN);
  }),
  refused('an auditor grants another one', FORBIDDEN, async (scene) => {
    await grant(scene, TOTALS());
    const { employer } = scene.service;
    const body = JSON.stringify({
      auditor: scene.service.recipient.address,
      scope: 'totals',
      endsAt: Date.now() + 600_000,
    });
    return scene.signed(scene.stranger, { method: 'POST', path: scene.of(employer, '/grants'), body });
  }),
  invalidGrant('that has ended', () => ({ endsAt: Date.now() - 1 })),
  invalidGrant('for ever', () => ({ endsAt: Number.MAX_SAFE_INTEGER })),
  invalidGrant('of nobody', () => ({ scope: 'recipients', recipients: [] })),
  invalidGrant('of totals that names somebody', ({ service }) => ({ recipients: [service.recipient.address] })),
  invalidGrant('of everything', () => ({ scope: 'all' }), ['invalid-body']),
  invalidGrant('of every recipient', () => ({ scope: 'recipients', recipients: ['*'] }), ['invalid-body']),
  invalidGrant(
    'of more recipients than one may name',
    (scene) => ({ scope: 'recipients', recipients: Array.from({ length: 101 }, () => scene.stranger.address) }),
    ['invalid-body'],
  ),
];

/** Asks for a payment code of a token in which nobody pays them. */
const codeOfNothing = (who: string, signer: (scene: Scene) => KeyPairSigner) =>
  refused(`${who} asks for a payment code of a token in which nobody pays them`, FORBIDDEN, (scene) => {
    const body = JSON.stringify({ mint: scene.service.employer.schedule });
    return scene.signed(signer(scene), { method: 'POST', path: '/api/recipients/me/payment-codes', body });
  });

const recipients: Attack[] = [
  codeOfNothing('a stranger', ({ stranger }) => stranger),
  codeOfNothing('somebody of the list', ({ service }) => service.recipient),
  refused('somebody of the list reads another of it', FORBIDDEN, (scene) =>
    scene.signed(scene.service.recipient, { path: scene.of(scene.service.employer, `/recipients/${other(scene)}`) }),
  ),
  refused('somebody of the list reads payslips of another', FORBIDDEN, (scene) =>
    scene.signed(scene.service.recipient, {
      path: scene.of(scene.service.employer, `/recipients/${other(scene)}/payslips/0`),
    }),
  ),
  refused('the employer reads the money of somebody of the list', FORBIDDEN, (scene) =>
    scene.signed(scene.service.employer.signer, {
      path: `/api/recipients/${scene.service.recipient.address}/balances`,
    }),
  ),
  refused('the employer reads the history of somebody of the list', FORBIDDEN, (scene) =>
    scene.signed(scene.service.employer.signer, { path: `/api/recipients/${scene.service.recipient.address}/history` }),
  ),
  refused('an operator reads the list', FORBIDDEN, (scene) =>
    scene.signed(scene.service.operator, { path: scene.of(scene.service.employer, '/recipients') }),
  ),
  refused('an operator reads totals', FORBIDDEN, (scene) =>
    scene.signed(scene.service.operator, { path: scene.of(scene.service.employer, '/audit') }),
  ),
  attack("another employer's schedules among one's own", 'none of theirs', async (scene) => {
    const { body } = await scene.signed(scene.stranger, { path: '/api/employers/me/schedules' });
    return unless(body.includes(scene.service.employer.schedule), 'own schedules');
  }),
  refused("another employer's schedules as their viewer, which it is not", FORBIDDEN, (scene) =>
    scene.signed(scene.stranger, {
      path: `/api/employers/me/schedules?employer=${scene.service.employer.signer.address}`,
    }),
  ),
  attack('a signed-in stranger is an operator', 'isOperator false', async (scene) => {
    const { body } = await scene.signed(scene.stranger, { path: '/api/session' });
    return unless(!body.includes('"isOperator":false'), body.trim().slice(0, 60));
  }),
];

export const access: Family = {
  title: 'reading and doing what is another’s',
  attacks: [...matrix, ...confused, ...auditors, ...recipients],
};
