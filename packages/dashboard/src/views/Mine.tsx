import { countText, shortAddress, tokenText } from '@payouts/pages/format/amount';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { Time } from '@payouts/pages/parts/Time';
import { href, place } from '@payouts/pages/router';
import { signedIn } from '@payouts/pages/session/session';
import { privatePages } from '../api/request.ts';
import { useResource } from '../api/resource.ts';
import type { Schedule } from '../api/types.ts';
import { tokenOf } from '../format/token.ts';
import { calendarText } from '../format/words.ts';
import { askToSignIn } from '../parts/SignIn.tsx';
import { Loaded } from '../parts/Trouble.tsx';
import { List } from './mine/List.tsx';

/** An employer's own schedules, and who is paid how much: opened by their wallet, for as long as this tab stays as it is. */
export function Mine() {
  return (
    <>
      <h1>My payrolls</h1>
      {signedIn.value === undefined ? (
        <Notice kind="info" title="Sign in with the wallet that owns your vault.">
          <p>
            It opens your lists in this tab alone: they come encrypted for it, and are gone when you reload or sign out.
          </p>
          <p>
            <button type="button" class="primary" onClick={askToSignIn}>
              Sign in
            </button>
          </p>
        </Notice>
      ) : (
        <Schedules wallet={signedIn.value.wallet} />
      )}
    </>
  );
}

type Own = { readonly schedules: readonly Schedule[]; readonly nextCursor: string | null };

/** All of them, page after page. */
async function readOwn(abort: AbortSignal): Promise<readonly Schedule[]> {
  const all: Schedule[] = [];
  for await (const page of privatePages<Own>('/api/employers/me/schedules', {}, abort)) all.push(...page.schedules);
  return all;
}

function Schedules({ wallet }: { readonly wallet: string }) {
  const own = useResource(`own ${wallet}`, readOwn);
  const chosen = place.value.query.get('schedule') ?? undefined;
  return (
    <Loaded of={own} what="your schedules">
      {(schedules) => {
        if (schedules.length === 0) return <NoneHere wallet={wallet} />;
        const shown = schedules.find(({ schedulePda }) => schedulePda === chosen) ?? schedules[0];
        return (
          <>
            <ul class="own">
              {schedules.map((schedule) => (
                <li key={schedule.schedulePda}>
                  <a
                    href={href('mine', { schedule: schedule.schedulePda })}
                    aria-current={schedule === shown ? 'true' : undefined}
                  >
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
                </li>
              ))}
            </ul>
            {shown !== undefined && <List key={shown.schedulePda} schedule={shown} />}
          </>
        );
      }}
    </Loaded>
  );
}

const NoneHere = ({ wallet }: { readonly wallet: string }) => (
  <Empty title="This wallet owns no vault with a schedule that is registered here.">
    <p>
      Signed in as <code>{wallet}</code>. If the vault is another wallet’s, sign out and in again with that one. To
      promise a first payroll, run <code>payout schedule preview payroll.csv --token MINT</code>.
    </p>
  </Empty>
);
