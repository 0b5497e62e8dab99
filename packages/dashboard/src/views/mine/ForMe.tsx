import { schedulesAwaiting } from '@payouts/employer';
import { shortAddress } from '@payouts/pages/format/amount';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';

/** What waits for whoever is signed in as an approver; nothing is shown while nothing does. */
export function ForMe({ acting: { ledgers, employer } }: { readonly acting: Acting }) {
  const waiting = useResource(`for ${employer.address}`, () => schedulesAwaiting(ledgers, employer.address));
  if (waiting.data === undefined || waiting.data.length === 0) return null;
  return (
    <Notice kind="info" title="Waits for your approval">
      <ul>
        {waiting.data.map(({ address }) => (
          <li key={address}>
            <a href={href(`approve/${address}`)}>Payroll {shortAddress(address)}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
