import { shortAddress } from '@payouts/pages/format/amount';
import { ThemeSwitch } from '@payouts/pages/parts/theme';
import { href, place } from '@payouts/pages/router';
import { useTime } from '@payouts/pages/useTime';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { account, signOut } from './account.ts';
import { watchMoney } from './money.ts';
import { Brand, Foot, Skip } from './parts/Frame.tsx';
import { CheckPayslip } from './views/CheckPayslip.tsx';
import { Elsewhere } from './views/Elsewhere.tsx';
import { Fresh } from './views/Fresh.tsx';
import { History } from './views/History.tsx';
import { Inside } from './views/Inside.tsx';
import { Invitation } from './views/Invitation.tsx';
import { Money } from './views/Money.tsx';
import { Notices } from './views/Notices.tsx';
import { Order } from './views/Order.tsx';
import { Safety } from './views/Safety.tsx';
import { SignIn } from './views/SignIn.tsx';
import { Withdraw } from './views/Withdraw.tsx';

type View = { readonly title: string; readonly Show: ComponentType; readonly isOpen?: true };

/** What stands where; `isOpen`: nobody needs to be signed in. */
const VIEWS: Readonly<Record<string, View>> = {
  '': { title: 'Your money', Show: Money },
  withdraw: { title: 'Take out money', Show: Withdraw },
  inside: { title: 'Pay inside', Show: Inside },
  wallets: { title: 'Fresh wallets', Show: Fresh },
  order: { title: 'Standing order', Show: Order },
  notices: { title: 'Notices', Show: Notices },
  address: { title: 'Be paid at another address', Show: Elsewhere },
  history: { title: 'History', Show: History },
  payslip: { title: 'Check a payslip', Show: CheckPayslip, isOpen: true },
  invitation: { title: 'An invitation', Show: Invitation, isOpen: true },
  safety: { title: 'If something is lost', Show: Safety },
};

const LINKS = [
  { path: '', name: 'Money' },
  { path: 'history', name: 'History' },
  { path: 'payslip', name: 'Payslips' },
  { path: 'safety', name: 'Safety' },
] as const;

/** Bar, view and foot. A new view takes the focus, so that a keyboard and a screen reader are where the eye is. */
export function App() {
  const [path = ''] = place.value.path;
  const time = useTime();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const isIn = account.value !== undefined;
  const { title, Show, isOpen } = VIEWS[path] ?? (VIEWS[''] as View);

  useEffect(() => (isIn ? watchMoney(time) : undefined), [isIn, time]);
  useEffect(() => {
    document.title = `${title} · My pay`;
    if (!isFirst.current) {
      main.current?.focus();
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [title, isIn]);

  return (
    <>
      <Skip to={main} />
      <header class="bar">
        <div class="inner">
          <Brand />
          <nav aria-label="Views">
            {LINKS.map((link) => (
              <a key={link.path} href={href(link.path)} aria-current={link.path === path ? 'page' : undefined}>
                {link.name}
              </a>
            ))}
          </nav>
          <div class="tools">
            <ThemeSwitch />
            <Who />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {isIn || isOpen ? <Show key={path} /> : <SignIn />}
      </main>
      <Foot />
    </>
  );
}

function Who() {
  const { value: own } = account;
  if (own === undefined) return null;
  return (
    <span class="who">
      <code title={own.wallet.address}>{shortAddress(own.wallet.address)}</code>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </span>
  );
}
