import type { Steps } from '@payouts/employer';
import { Notice } from '@payouts/pages/parts/Notice';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Acting } from '../../employer/acting.ts';
import { sendSteps } from '../../employer/sending.ts';
import { ActionTrouble } from './Trouble.tsx';

type Props = {
  readonly acting: Acting;
  /** What will happen, sentence by sentence. */
  readonly effects: readonly string[];
  /** What is signed, made once it is agreed to; `say` tells what is being done meanwhile. */
  readonly prepare: (say: (doing: string) => void) => Promise<Steps>;
  /** What is done once the ledger has it; may be tried again. */
  readonly after?: (say: (doing: string) => void) => Promise<void>;
  /** What is said and shown once all is done. */
  readonly done: string;
  readonly children?: ComponentChildren;
  readonly onDone?: () => void;
  /** What the button says. */
  readonly action: string;
};

type State =
  | { readonly at: 'asked' | 'done' }
  | { readonly at: 'busy'; readonly doing: string }
  | { readonly at: 'failed'; readonly error: unknown; readonly isOnLedger: boolean };

/** Says what will happen, has it signed when it is agreed to, and follows it until it is final. */
export function CarryOut({ acting, effects, prepare, after, done, children, onDone, action }: Props) {
  const [state, setState] = useState<State>({ at: 'asked' });
  const say = (doing: string) => setState({ at: 'busy', doing });
  const follow = async () => {
    try {
      await after?.(say);
    } catch (error) {
      return setState({ at: 'failed', error, isOnLedger: true });
    }
    setState({ at: 'done' });
    onDone?.();
  };
  const begin = async () => {
    try {
      say('Preparing');
      await sendSteps(acting, await prepare(say), say);
    } catch (error) {
      return setState({ at: 'failed', error, isOnLedger: false });
    }
    await follow();
  };
  if (state.at === 'done') {
    return (
      <>
        <Notice kind="good" title={done} />
        {children}
      </>
    );
  }
  const isOnLedger = state.at === 'failed' && state.isOnLedger;
  return (
    <section class="carry" aria-label="What will happen">
      <Effects sentences={effects} />
      {state.at === 'failed' && <ActionTrouble error={state.error} />}
      {isOnLedger && <p>The ledger has it. Only the coordinator has not been told yet: nothing is lost.</p>}
      <p class="actions">
        <button type="button" class="primary" disabled={state.at === 'busy'} onClick={isOnLedger ? follow : begin}>
          {isOnLedger ? 'Tell the coordinator again' : action}
        </button>
        <span role="status" class="faint">
          {state.at === 'busy' && `${state.doing} …`}
        </span>
      </p>
    </section>
  );
}

/** What will happen, before it is agreed to. */
export const Effects = ({ sentences }: { readonly sentences: readonly string[] }) => (
  <ul class="effects">
    {sentences.map((sentence) => (
      <li key={sentence}>{sentence}</li>
    ))}
  </ul>
);
