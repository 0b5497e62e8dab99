import { isLoopbackHost, isLoopbackUrl } from '../platform/loopback.ts';
import type { Settings } from './specs.ts';
import { eachSetting } from './specs.ts';

/** What may be a mistake but keeps nothing from starting, each as a sentence with its remedy. */
export function warningsOf(settings: Settings, environment: Readonly<Record<string, string | undefined>>): string[] {
  const found = [...misspelt(environment)];
  if (settings.metricsPublic && settings.metricsAuthToken !== undefined) {
    found.push('METRICS_PUBLIC is true, so METRICS_AUTH_TOKEN protects nothing: unset one of them.');
  }
  if (settings.publicOrigins.length === 0 && !isLoopbackHost(settings.host)) {
    found.push(
      'PUBLIC_ORIGINS is unset and HOST is not this machine alone: signed requests are refused until it says where clients address the service.',
    );
  }
  if (settings.layerMeasurements === undefined && !isLoopbackUrl(settings.layerRpcUrl)) {
    found.push(
      'LAYER_MEASUREMENTS is unset: whoever runs the execution layer may see who is paid. Pin what is to run there.',
    );
  }
  return found;
}

/** Variables that are no settings but almost one's name. */
function* misspelt(environment: Readonly<Record<string, string | undefined>>): Generator<string> {
  const known = new Set(eachSetting().flatMap(([, name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])));
  for (const name of Object.keys(environment)) {
    // Short names and single words are other programs' more often than a mistake.
    if (known.has(name) || name.length < 6 || !name.includes('_')) continue;
    const meant = [...known].find((candidate) => isOneEditAway(name, candidate));
    if (meant !== undefined) yield `${name} is no setting: did you mean ${meant}?`;
  }
}

/** Whether one letter added, left out, changed, or exchanged with its neighbour makes one of the other. */
function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
