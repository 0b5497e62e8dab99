import { generateKeyPairSigner } from '@solana/kit';
import type { Attack, Family, Verdict } from './attack.ts';
import { asked, invited } from './families/invitations.ts';
import { Scene } from './scene.ts';
import type { Service } from './service.ts';

export type Result = { readonly family: string; readonly attack: Attack; readonly verdict: Verdict };

/** So many attacks have addresses of their own in 127.1.0.0/16. */
const addressOf = (place: number): string => `127.1.${(place >> 8) & 255}.${place & 255}`;
const USER = '127.7.7.7';

const NONE: Scene['ids'] = { webhook: '', notice: '', grant: '', invitation: '', change: '' };

/** What the employer has and attacks want to change: those that there are already, or others. */
async function prepare(service: Service, ids: Scene['ids'] = NONE): Promise<Scene['ids']> {
  const stranger = await generateKeyPairSigner();
  const scene = new Scene(service, USER, stranger, ids);
  const { employer } = service;
  const make = async (path: string, id: string, content: object) => {
    const { body: there } = await scene.signed(employer.signer, { path });
    if (id !== '' && there.includes(id)) return id;
    const answer = await scene.signed(employer.signer, { method: 'POST', path, body: JSON.stringify(content) });
    if (answer.status !== 201) throw new Error(`The employer's ${path} is answered ${answer.status}: ${answer.body}`);
    return (JSON.parse(answer.body) as { id: string }).id;
  };
  const auditor = stranger.address;
  return {
    webhook: await make(scene.of(employer, '/webhooks'), ids.webhook, { url: 'https://payroll.example.com/hooks' }),
    // A commit from before there were notices has none.
    notice: await make('/api/notices', ids.notice, {
      address: 'https://chat.example.com/hooks',
      schedulePda: employer.schedule,
    }).catch(() => ''),
    grant: await make(scene.of(employer, '/grants'), ids.grant, {
      auditor,
      scope: 'totals',
      endsAt: Date.now() + 3_600_000,
    }),
    invitation: await invited(scene, ids.invitation),
    change: await asked(scene, ids.change),
  };
}

/** Whether attacks need nothing that a service lacks. */
const canRun = ({ needs }: Attack, { has }: Service): boolean => needs.every((need) => has.includes(need));

/**
 * Runs attacks against a service, one after the other, each from an address of its own; an attack that fails by itself counts as one that
 * got something.
 */
export async function runAll(
  service: Service,
  families: readonly Family[],
  isWanted: (attack: Attack) => boolean,
  tell: (result: Result) => void,
): Promise<Result[]> {
  let ids = await prepare(service);
  const results: Result[] = [];
  for (const { title, attacks } of families) {
    for (const attack of attacks.filter((each) => isWanted(each) && canRun(each, service))) {
      const scene = new Scene(service, addressOf(results.length + 1), await generateKeyPairSigner(), ids);
      const verdict = await attack
        .run(scene)
        .catch((error: Error): Verdict => ({ outcome: 'succeeded', seen: `failed: ${error.message}` }));
      const result = { family: title, attack, verdict };
      results.push(result);
      // What succeeds may have taken away what others want.
      if (verdict.outcome === 'succeeded') ids = await prepare(service, ids);
      tell(result);
    }
  }
  return results;
}
