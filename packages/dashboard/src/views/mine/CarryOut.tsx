import { Notice } from '@payouts/pages/parts/Notice';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Acting } from '../../employer/acting.ts';
import { checkMayAct, type Elsewhere, type Sent, signElsewhere, signFirst, signHere } from '../../employer/sending.ts';
import { Effects } from './Effects.tsx';
import { HandedOut } from './HandedOut.tsx';
import { Proposed, Proposes } from './Proposes.tsx';
import { ActionTrouble } from './Trouble.tsx';

export type Say = (doing: string) => void;

type Props = {
  readonly acting: Acting;
  /** What will happen, sentence by sentence. */
  readonly effects: readonly string[];
  /** What of it somebody should know before all else. */
  readonly warnings?: readonly string[] | undefined;
  /** What is signed, made once it is agreed to; `say` tells what is being done meanwhile. */
  readonly prepare: (say: Say) => Promise<Sent>;
  /** Who signs, too, somewhere else; undefined: nobody. */
  readonly coSigner?: string | undefined;
  /** What is done once the ledger has it; may be tried again. Neither it nor `onDone` where it was only proposed. */
  readonly after?: (say: Say) => Promise<void>;
  /** What is said and shown once all is done. */
  readonly done: string;
  readonly children?: ComponentChildren;
  readonly onDone?: () => void;
  /** What the button says. */
  readonly action: string;
};

type State =
  | { readonly at: 'asked' | 'proposed' | 'done' }
  | { readonly at: 'busy'; readonly doing: string }
  | { readonly at: 'elsewhere'; readonly out: Elsewhere }
  | { readonly at: 'failed'; readonly error: unknown; readonly isOnLedger: boolean };

/** Says what will happen, has it signed when it is agreed to, and follows it until it is final. */
export function CarryOut(props: Props) {
  const { acting, effects, warnings = [], prepare, after, done, children, onDone, action } = props;
  const { treasury } = acting;
  // A treasury signs alone, and by its members.
  const coSigner = treasury === undefined ? props.coSigner : undefined;
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
  const attempt = async (send: () => Promise<State | undefined>) => {
    say('Preparing');
    try {
      checkMayAct(acting);
      const next = await send();
      if (next !== undefined) return setState(next);
    } catch (error) {
      return setState({ at: 'failed', error, isOnLedger: false });
    }
    if (treasury !== undefined) return setState({ at: 'proposed' });
    await follow();
  };
  const here = () =>
    attempt(async () => {
      const sent = await prepare(say);
      if (coSigner !== undefined) return { at: 'elsewhere', out: await signFirst(acting, sent, say) };
      await signHere(acting, sent, say);
      return undefined;
    });
  const elsewhere = () =>
    attempt(async () => ({
      at: 'elsewhere',
      out: await signElsewhere(acting, await prepare(say)),
    }));
  const takeBack = (out: Elsewhere, signed: string) =>
    attempt(async () => {
      await out.send(signed, say);
      return undefined;
    });
  if (state.at === 'done') {
    return (
      <>
        <Notice kind="good" title={done} />
        {children}
      </>
    );
  }
  if (state.at === 'proposed') return <Proposed>{children}</Proposed>;
  if (state.at === 'elsewhere') {
    const { out } = state;
    return (
      <HandedOut
        out={out}
        effects={effects}
        coSigner={coSigner}
        onSigned={(signed) => takeBack(out, signed)}
        onArrived={follow}
      />
    );
  }
  const isOnLedger = state.at === 'failed' && state.isOnLedger;
  return (
    <div class="carry">
      {treasury !== undefined && <Proposes treasury={treasury} />}
      {warnings.map((warning) => (
        <Notice key={warning} kind="bad" title={warning} />
      ))}
      <Effects sentences={effects} />
      {state.at === 'failed' && <ActionTrouble error={state.error} />}
      {isOnLedger && <p>The ledger has it. Only the coordinator has not been told yet: nothing is lost.</p>}
      <Buttons
        action={treasury === undefined ? action : 'Propose to the treasury'}
        doing={state.at === 'busy' ? state.doing : undefined}
        onHere={acting.wallet && here}
        onElsewhere={elsewhere}
        onFollow={isOnLedger ? follow : undefined}
      />
    </div>
  );
}

type ButtonsProps = {
  readonly action: string;
  /** What is being done; undefined: nothing yet. */
  readonly doing: string | undefined;
  /** Undefined: there is no wallet in this browser. */
  readonly onHere: (() => void) | undefined;
  readonly onElsewhere: () => void;
  /** Given once the ledger has it, and what follows was not done. */
  readonly onFollow: (() => void) | undefined;
};

function Buttons({ action, doing, onHere, onElsewhere, onFollow }: ButtonsProps) {
  const isBusy = doing !== undefined;
  if (onFollow !== undefined) {
    return (
      <p class="actions">
        <button type="button" class="primary" onClick={onFollow}>
          Tell the coordinator again
        </button>
      </p>
    );
  }
  return (
    <p class="actions">
      {onHere !== undefined && (
        <button type="button" class="primary" disabled={isBusy} onClick={onHere}>
          {action}
        </button>
      )}
      <button type="button" class="quiet" disabled={isBusy} onClick={onElsewhere}>
        Sign elsewhere
      </button>
      <span role="status" class="faint">
        {isBusy && `${doing} …`}
      </span>
    </p>
  );
}
