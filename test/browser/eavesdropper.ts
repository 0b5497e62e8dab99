import { RecordingProxy } from '@payouts/testing/browser/recordingProxy';
import { Finder, type Form } from '../privacy/scan/finder.ts';
import { formsOfAmount, formsOfBytes, formsOfText } from '../privacy/scan/forms.ts';

/** Base units: amounts that are so round say nothing. In the few megabytes of a month, others don't turn up by chance. */
const ROUND = 1_000_000n;

type Value = string | Uint8Array | bigint;
type Secret = { readonly what: string; readonly value: Value };

function formsOf({ what, value }: Secret): Form[] {
  if (typeof value === 'string') return formsOfText(value);
  if (typeof value !== 'bigint') return formsOfBytes(value);
  const forms = formsOfAmount(value, ROUND);
  if (forms.length === 0) throw new Error(`${what}: too short or too round to be looked for`);
  return forms;
}

const inTheClear = ({ value }: Secret): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);

/** Somebody between each browser and everybody else, where TLS has ended, who knows what to look for. */
export class Eavesdropper {
  readonly #proxies = new Map<string, RecordingProxy>();
  readonly #secrets = new Map<string, Secret>();

  /** Where somebody's browser is to ask, so that all it says is heard. */
  async hear(who: string): Promise<string> {
    const proxy = await RecordingProxy.start();
    this.#proxies.set(who, proxy);
    return proxy.url;
  }

  /** All that somebody's browser has said and was told. */
  heard(who: string): Buffer {
    const proxy = this.#proxies.get(who);
    if (proxy === undefined) throw new Error(`nobody listens to ${who}`);
    return proxy.passed;
  }

  /** Has this looked for, too. */
  lookFor(what: string, value: Value): void {
    const secret = { what, value };
    this.#secrets.set(`${what} ${inTheClear(secret)}`, secret);
  }

  /** What is looked for, each kind once. */
  get whatIsPrivate(): readonly string[] {
    return [...new Set([...this.#secrets.values()].map(({ what }) => what))].sort();
  }

  /** All of it in the clear. */
  get toBeSaid(): string {
    return [...this.#secrets.values()].map(inTheClear).join(' ');
  }

  /** What of it was heard of somebody, but for what is theirs. */
  found(who: string, theirs: readonly string[]): readonly string[] {
    const finder = new Finder();
    for (const secret of this.#secrets.values()) {
      if (theirs.includes(secret.what)) continue;
      for (const form of formsOf(secret)) finder.add(form, secret.what);
    }
    return [...new Set([...finder.scan(this.heard(who))].map(({ what }) => what))].sort();
  }
}
