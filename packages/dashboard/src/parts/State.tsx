import type { RunState } from '../api/types.ts';
import { STATE_WORDS } from '../format/words.ts';

/** A shape for each state, so that nobody needs colours to tell them apart; 16 by 16, drawn in the state's colour. */
const SHAPES: Readonly<Record<RunState, preact.JSX.Element>> = {
  queued: <circle cx="8" cy="8" r="5.25" class="line dotted" />,
  running: (
    <>
      <circle cx="8" cy="8" r="5.25" class="line" />
      <path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" class="fill" />
    </>
  ),
  held: <path d="M4 3h3v10H4zM9 3h3v10H9z" class="fill" />,
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.75" class="line" />
      <path d="M8 4.5V8l2.4 1.6" class="line" />
    </>
  ),
  exhausted: (
    <>
      <path d="M8 1.8l6.6 12H1.4z" class="fill" />
      <path d="M8 6v4M8 11.6v.4" class="cut" />
    </>
  ),
  failed: (
    <>
      <path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z" class="fill" />
      <path d="M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8" class="cut" />
    </>
  ),
  abandoned: (
    <>
      <circle cx="8" cy="8" r="5.75" class="line" />
      <path d="M4.2 4.2l7.6 7.6" class="line" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.75" class="line" />
      <path d="M5 8h6" class="line" />
    </>
  ),
  settled: (
    <>
      <circle cx="8" cy="8" r="6.5" class="fill" />
      <path d="M5 8.2l2.1 2.1L11.2 6" class="cut" />
    </>
  ),
};

export const StateShape = ({ state }: { state: RunState }) => (
  <svg class={`shape ${state}`} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[state]}
  </svg>
);

/** A run's state by shape, colour and word. */
export const State = ({ state }: { state: RunState }) => (
  <span class="state" title={STATE_WORDS[state].meaning}>
    <StateShape state={state} />
    {STATE_WORDS[state].name}
  </span>
);
