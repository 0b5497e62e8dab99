import { shortAddress } from '@payouts/pages/format/amount';
import { ThemeSwitch } from '@payouts/pages/parts/theme';
import { href, place } from '@payouts/pages/router';
import { signedIn, signOut } from '@payouts/pages/session/session';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../api/live.ts';
import { askToSignIn } from './SignIn.tsx';
import { showShortcuts } from './shortcuts.tsx';

const LINKS = [
  { path: '', name: 'Overview' },
  { path: 'runs', name: 'Runs' },
  { path: 'mine', name: 'My payrolls' },
  { path: 'audit', name: 'Audits' },
  { path: 'reconcile', name: 'Reconcile' },
  { path: 'about', name: 'About' },
] as const;

const CONNECTIONS = {
  connecting: { name: 'Connecting', meaning: 'Looking for the coordinator.' },
  live: { name: 'Live', meaning: 'Changes are shown as they happen.' },
  polling: { name: 'Every 3 s', meaning: 'There is no event stream here: the page asks every three seconds.' },
  offline: { name: 'Disconnected', meaning: 'The coordinator does not answer. The data may be out of date.' },
} as const;

/** Where to go, whether what is shown is live, and who is signed in. */
export function Bar() {
  const [first = ''] = place.value.path;
  const { name, meaning } = CONNECTIONS[connection.value];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // A phone does not show all of them at once.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [first]);
  return (
    <header class="bar">
      <div class="inner">
        <a class="brand" href={href('')}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="9" />
            <path d="M8.5 16.5l5 5 10-11" />
          </svg>
          Payouts
        </a>
        <nav aria-label="Views" ref={nav}>
          {LINKS.map(({ path, name }) => {
            const isHere = first === path || (first === 'schedules' && path === 'runs');
            return (
              <a key={path} href={href(path)} aria-current={isHere ? 'page' : undefined}>
                {name}
              </a>
            );
          })}
        </nav>
        <div class="tools">
          <span class={`connection ${connection.value}`} role="status" title={meaning}>
            {name}
          </span>
          <ThemeSwitch />
          <button
            type="button"
            class="icon keys"
            onClick={showShortcuts}
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
          >
            ?
          </button>
          <Who />
        </div>
      </div>
    </header>
  );
}

function Who() {
  const who = signedIn.value;
  if (who === undefined) {
    return (
      <button type="button" class="quiet" onClick={askToSignIn}>
        Sign in
      </button>
    );
  }
  return (
    <span class="who">
      <span title={who.wallet}>
        {who.isOperator && <b>Operator </b>}
        <code>{shortAddress(who.wallet)}</code>
      </span>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </span>
  );
}
