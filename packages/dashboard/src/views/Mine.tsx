import { countText, shortAddress, tokenText } from '@payouts/pages/format/amount';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href } from '@payouts/pages/router';
import type { Schedule } from '../api/types.ts';
import { chosenTreasury } from '../employer/chosenTreasury.ts';
import { tokenOf } from '../format/token.ts';
import { calendarText } from '../format/words.ts';
import { SignedInOnly } from '../parts/SignedInOnly.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { attentionOf } from './mine/attention.ts';
import { ForMe } from './mine/ForMe.tsx';
import { OnLedger } from './mine/OnLedger.tsx';
import { useOwnPayrolls } from './mine/ownPayrolls.ts';
import { Vaults } from './mine/Vaults.tsx';

/** An employer's start: what needs attention, their payrolls and vaults, and what waits for them as an approver. */
export function Mine() {
  return (
    <>
      <h1>My payrolls</h1>
      <SignedInOnly who="the wallet that owns your vault">{(wallet) => <Start wallet={wallet} />}</SignedInOnly>
    </>
  );
}

function Start({ wallet }: { readonly wallet: string }) {
  const own = useOwnPayrolls(wallet);
  return (
    <>
      <Loaded of={own} what="your payrolls">
        {(schedules) => (schedules.length === 0 ? <NoneHere wallet={wallet} /> : <Payrolls schedules={schedules} />)}
      </Loaded>
      <OnLedger>
        {(acting) => (
          <>
            <ForMe acting={acting} />
            <Vaults acting={acting} known={own.data && new Set(own.data.map(({ schedulePda }) => schedulePda))} />
            <p>
              <a href={href('mine/invitations')}>Invitations</a> ask people for the address to pay them at, and show who
              wants another one.
            </p>
            <p>
              You approve for somebody else? <a href={href('approve')}>Approve a withdrawal</a>
            </p>
            <p>
              Several decide together? A <a href={href('mine/treasury')}>treasury</a> does what enough of its members
              have approved.
            </p>
          </>
        )}
      </OnLedger>
    </>
  );
}

function Payrolls({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const attention = schedules.flatMap((schedule) => attentionOf(schedule).map((sentence) => ({ schedule, sentence })));
  return (
    <>
      {attention.length > 0 && (
        <Notice kind="warn" title="Needs attention">
          <ul>
            {attention.map(({ schedule: { schedulePda }, sentence }) => (
              <li key={`${schedulePda}${sentence}`}>
                <a href={href(`mine/${schedulePda}`)}>{shortAddress(schedulePda)}</a>: {sentence}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ul class="own" aria-label="Payrolls">
        {schedules.map((schedule) => (
          <li key={schedule.schedulePda}>
            <PayrollCard schedule={schedule} />
          </li>
        ))}
      </ul>
      <p>
        <a href={href('mine/webhooks')}>Webhooks</a> tell a program of yours what becomes of your pay runs.
      </p>
    </>
  );
}

const PayrollCard = ({ schedule }: { readonly schedule: Schedule }) => (
  <a href={href(`mine/${schedule.schedulePda}`)}>
    <strong>{tokenText(schedule.amountPerExecution, tokenOf(schedule))}</strong>
    <span>
      {calendarText(schedule.calendar)} to {countText(schedule.recipients, 'person', 'people')}
    </span>
    <span class="faint">
      {shortAddress(schedule.schedulePda)} · {schedule.status}
      {schedule.nextWindow !== null && (
        <>
          {' '}
          · next <Time at={schedule.nextWindow.dueAt} as="relative" />
        </>
      )}
    </span>
  </a>
);

const NoneHere = ({ wallet }: { readonly wallet: string }) =>
  chosenTreasury.value === undefined ? (
    <Empty title="This wallet owns no vault with a schedule that is registered here.">
      <p>
        Signed in as <code class="break">{wallet}</code>. If the vault is another wallet’s, sign out and in again with
        that one. For a first payroll, open a vault, put money into it and drop your file.
      </p>
    </Empty>
  ) : (
    <Empty title="The treasury has no payroll that is registered here." />
  );
