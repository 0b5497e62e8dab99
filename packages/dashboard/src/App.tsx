import { place } from '@payouts/pages/router';
import { isSomethingKept } from '@payouts/pages/sending/keptNames';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Bar } from './parts/Bar.tsx';
import { Foot } from './parts/Foot.tsx';
import { later } from './parts/Later.tsx';
import { SignIn } from './parts/SignIn.tsx';
import { listenForKeys, ShortcutHelp } from './parts/shortcuts.tsx';
import { UnreachableNotice } from './parts/Trouble.tsx';
import { About } from './views/About.tsx';
import { NotHere } from './views/NotHere.tsx';
import { Overview } from './views/Overview.tsx';
import { Runs } from './views/Runs.tsx';
import { Schedule } from './views/Schedule.tsx';

const Run = later(async () => (await import('./views/Run.tsx')).Run);
const Reconcile = later(async () => (await import('./views/Reconcile.tsx')).Reconcile);
const Mine = later(async () => (await import('./views/Mine.tsx')).Mine);
const Payroll = later(async () => (await import('./views/mine/Payroll.tsx')).Payroll);
const ChangeList = later(async () => (await import('./views/mine/ChangeList.tsx')).ChangeList);
const NewPayroll = later(async () => (await import('./views/mine/NewPayroll.tsx')).NewPayroll);
const Vault = later(async () => (await import('./views/mine/Vault.tsx')).Vault);
const Invitations = later(async () => (await import('./views/mine/Invitations.tsx')).Invitations);
const Treasury = later(async () => (await import('./views/mine/Treasury.tsx')).Treasury);
const Webhooks = later(async () => (await import('./views/mine/Webhooks.tsx')).Webhooks);
const Approve = later(async () => (await import('./views/Approve.tsx')).Approve);
const ApproveWithdrawal = later(async () => (await import('./views/ApproveWithdrawal.tsx')).ApproveWithdrawal);
const Audit = later(async () => (await import('./views/Audit.tsx')).Audit);

/** Looked at before this page sends anything itself. */
const WAS_SENDING = isSomethingKept();
const Resumed = later(async () => (await import('./employer/Resumed.tsx')).Resumed);

type View = { readonly title: string; readonly Show: ComponentType; readonly key?: string };

function viewOf(path: readonly string[]): View {
  const [first, second, third] = path;
  const about = (schedule: string) => schedule.slice(0, 4);
  if (first === undefined) return { title: 'Overview', Show: Overview };
  if (first === 'runs' && second === undefined) return { title: 'Runs', Show: Runs };
  if (first === 'runs' && second !== undefined && third !== undefined) {
    return { title: `Window ${third} of ${about(second)}…`, Show: () => <Run schedule={second} window={third} /> };
  }
  if (first === 'schedules' && second !== undefined) {
    return { title: `Schedule ${about(second)}…`, Show: () => <Schedule address={second} /> };
  }
  if (first === 'mine') return mineView(second, third);
  if (first === 'approve' && second === undefined) return { title: 'Approve a withdrawal', Show: ApproveWithdrawal };
  if (first === 'approve' && second !== undefined) {
    return { title: `Approve ${about(second)}…`, Show: () => <Approve schedule={second} /> };
  }
  if (first === 'audit') return { title: 'Audits', Show: Audit };
  if (first === 'reconcile') return { title: 'Reconcile', Show: Reconcile };
  if (first === 'about') return { title: 'About', Show: About };
  return { title: 'Not here', Show: NotHere };
}

/** An employer's own views. */
function mineView(second: string | undefined, third: string | undefined): View {
  if (second === undefined) return { title: 'My payrolls', Show: Mine };
  if (second === 'new' && third !== undefined) return { title: 'New payroll', Show: () => <NewPayroll mint={third} /> };
  if (second === 'vaults' && third !== undefined) return { title: 'Vault', Show: () => <Vault mint={third} /> };
  if (second === 'webhooks') return { title: 'Webhooks', Show: () => <Webhooks schedule={third} /> };
  if (second === 'treasury') return { title: 'Treasury', Show: Treasury };
  if (second === 'invitations') return { title: 'Invitations', Show: Invitations };
  if (third === 'change') return { title: 'Change the list', Show: () => <ChangeList schedule={second} /> };
  return { title: 'Payroll', Show: () => <Payroll address={second} /> };
}

/** Bar, view and foot. A new view takes the focus, so that a keyboard and a screen reader are where the eye is. */
export function App() {
  const path = place.value.path.join('/');
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const view = useRef<{ path: string; view: View }>(undefined);
  if (view.current?.path !== path) view.current = { path, view: viewOf(place.value.path) };
  const { title, Show } = view.current.view;

  useEffect(listenForKeys, []);
  useEffect(() => {
    document.title = `${title} · Payouts`;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    main.current?.focus();
    scrollTo(0, 0);
  }, [path, title]);

  const skip = (event: Event) => {
    // The address behind # is a place of this page.
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads into the page; the browser would take the rest for a place */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Bar />
      <main id="main" tabIndex={-1} ref={main}>
        <UnreachableNotice />
        {WAS_SENDING && <Resumed />}
        <Show key={path} />
      </main>
      <Foot />
      <SignIn />
      <ShortcutHelp />
    </>
  );
}
