import type { Scene } from './scene.ts';
import type { Need } from './service.ts';
import type { Answer } from './wire.ts';

/**
 * What came of an attack. `otherwise`: it got nothing, and was answered in another way than it should be: in a run against this checkout
 * that counts as a success, too.
 */
export type Outcome = 'refused' | 'otherwise' | 'succeeded';
export type Verdict = { readonly outcome: Outcome; readonly seen: string };

export type Attack = {
  /** What is tried, as a plain sentence. */
  readonly name: string;
  /** What must be seen. */
  readonly expected: string;
  /** A review of an earlier state made it succeed. */
  readonly wasFound: boolean;
  /** What it needs of a service beside one schedule that is paid. */
  readonly needs: readonly Need[];
  run(scene: Scene): Promise<Verdict>;
};

export type Family = { readonly title: string; readonly attacks: readonly Attack[] };

type More = Partial<Pick<Attack, 'wasFound' | 'needs'>>;

/** An attack with a judgement of its own. */
export const attack = (name: string, expected: string, run: Attack['run'], more: More = {}): Attack => ({
  name,
  expected,
  run,
  wasFound: false,
  needs: [],
  ...more,
});

/** One that must be answered one of these codes, or statuses where there is no code. */
export const refused = (
  name: string,
  codes: readonly string[],
  send: (scene: Scene) => Promise<Answer>,
  more: More = {},
): Attack => attack(name, codes.join(' or '), async (scene) => judge(await send(scene), codes), more);

/** An answer to an attack: one of the codes, another refusal, or what it should not get. */
export function judge(answer: Answer, codes: readonly string[]): Verdict {
  const seen = seenIn(answer);
  const { status, code } = answer;
  if (codes.includes(code ?? String(status))) return { outcome: 'refused', seen };
  const isRefusal = status >= 400 && status < 500 && code !== undefined;
  return { outcome: isRefusal ? 'otherwise' : 'succeeded', seen };
}

export const seenIn = ({ status, code }: Answer): string =>
  status === 0 ? 'no answer' : `${status}${code === undefined ? '' : ` ${code}`}`;

/** A judgement by whether what must not be was seen. */
export const unless = (hasSucceeded: boolean, seen: string): Verdict => ({
  outcome: hasSucceeded ? 'succeeded' : 'refused',
  seen,
});
