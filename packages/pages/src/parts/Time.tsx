import { localText, relativeText, utcText } from '../format/time.ts';
import { now } from '../now.ts';

type Props = { readonly at: number; readonly as?: 'both' | 'relative' | 'local' };

/** A moment in the reader's time, with UTC in its title; how long ago ticks. Unix milliseconds. */
export function Time({ at, as = 'both' }: Props) {
  const local = localText(at, now.value);
  const relative = relativeText(at, now.value);
  return (
    <time dateTime={new Date(at).toISOString()} title={utcText(at)}>
      {as !== 'relative' && <span class="local">{local}</span>}
      {as === 'both' && ' '}
      {as !== 'local' && <span class={as === 'both' ? 'faint' : undefined}>{relative}</span>}
    </time>
  );
}
