import type { RunState } from '../api/types.ts';
import { STATE_WORDS } from '../format/words.ts';

const circle = (r: number) => `M${8 + r} 8a${r} ${r} 0 1 1 ${-2 * r} 0a${r} ${r} 0 1 1 ${2 * r} 0z`;

/**
 * A shape for each state, so that nobody needs colours to tell them apart; 16 by 16, in the state's colour.
 * Each has its paths by how they are drawn, the lowest first.
 */
const SHAPES: Readonly<Record<RunState, { readonly [kind in 'line dotted' | 'line' | 'fill' | 'cut']?: string }>> = {
  queued: { 'line dotted': circle(5.25) },
  running: { line: circle(5.25), fill: 'M8 2.75a5.25 5.25 0 0 1 0 10.5z' },
  held: { fill: 'M4 3h3v10H4zM9 3h3v10H9z' },
  waiting: { line: `${circle(5.75)}M8 4.5V8l2.4 1.6` },
  exhausted: { fill: 'M8 1.8l6.6 12H1.4z', cut: 'M8 6v4M8 11.6v.4' },
  failed: {
    fill: 'M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z',
    cut: 'M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8',
  },
  abandoned: { line: `${circle(5.75)}M4.2 4.2l7.6 7.6` },
  cancelled: { line: `${circle(5.75)}M5 8h6` },
  settled: { fill: circle(6.5), cut: 'M5 8.2l2.1 2.1L11.2 6' },
};

export const StateShape = ({ state }: { state: RunState }) => (
  <svg class={`shape ${state}`} viewBox="0 0 16 16" aria-hidden="true">
    {Object.entries(SHAPES[state]).map(([kind, path]) => (
      <path key={kind} class={kind} d={path} />
    ))}
  </svg>
);

/** A run's state by shape, colour and word. */
export const State = ({ state }: { state: RunState }) => (
  <span class="state" title={STATE_WORDS[state].meaning}>
    <StateShape state={state} />
    {STATE_WORDS[state].name}
  </span>
);
