import { confirmApproval, policiesAwaiting, schedulesAwaiting } from '@payouts/employer';
import { shortAddress } from '@payouts/pages/format/amount';
import { Notice } from '@payouts/pages/parts/Notice';
import { href } from '@payouts/pages/router';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';
import { ActionDialog, type AskedAction } from './ActionDialog.tsx';

/** What waits for whoever is signed in as an approver; nothing is shown while nothing does. */
export function ForMe({ acting }: { readonly acting: Acting }) {
  const { ledgers, employer } = acting;
  const waiting = useResource(`for ${employer.address}`, async () => ({
    schedules: await schedulesAwaiting(ledgers, employer.address),
    policies: await policiesAwaiting(acting, employer.address),
  }));
  const [action, setAction] = useState<AskedAction>();
  const { schedules = [], policies = [] } = waiting.data ?? {};
  return (
    <>
      {schedules.length + policies.length > 0 && (
        <Notice kind="info" title="Waits for your approval">
          <ul>
            {schedules.map(({ address }) => (
              <li key={address}>
                <a href={href(`approve/${address}`)}>Payroll {shortAddress(address)}</a>
              </li>
            ))}
            {policies.map((policy) => (
              <li key={policy.address}>
                Who approves above what in the vault of {policy.token.name} of {shortAddress(policy.owner)}{' '}
                <button
                  type="button"
                  class="link"
                  onClick={() => setAction({ name: 'Confirm the change', plan: () => confirmApproval(acting, policy) })}
                >
                  Look at the change
                </button>
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ActionDialog
        acting={acting}
        action={action}
        onDone={() => waiting.refresh()}
        onClose={() => setAction(undefined)}
      />
    </>
  );
}
