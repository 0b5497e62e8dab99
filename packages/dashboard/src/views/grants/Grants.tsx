import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Empty } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { Time } from '@payouts/pages/parts/Time';
import { useTime } from '@payouts/pages/useTime';
import { type AuditGrant, grantPath, grantsOf, windowsText } from '@payouts/statements';
import type { Address as LedgerAddress } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Loaded } from '../../parts/Trouble.tsx';
import { sendAsWallet } from '../../session/sendAsWallet.ts';
import { connectedWallet } from '../../session/wallet.ts';
import { patientAsk } from '../audit/ask.ts';
import { scopeText } from '../audit/HeldGrants.tsx';
import { GrantForm } from './GrantForm.tsx';
import { SigningTrouble } from './SigningTrouble.tsx';

/** What an employer has granted auditors of a payroll, how it was used, and what ends or grants it. */
export function Grants({ schedule }: { readonly schedule: string }) {
  const time = useTime();
  const address = schedule as LedgerAddress;
  const grants = useResource(`granted ${schedule}`, (abort) => grantsOf(patientAsk(time, abort), address), {
    concerns: () => false,
  });
  const [isGranting, setGranting] = useState(false);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<string>();
  const revoke = ({ id }: AuditGrant) => {
    const wallet = connectedWallet.value;
    if (wallet === undefined) return;
    setBusy(id);
    setError(undefined);
    sendAsWallet(wallet, time, 'DELETE', grantPath(address, id))
      .then(grants.refresh, setError)
      .finally(() => setBusy(undefined));
  };
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">Auditors</h2>
      {error !== undefined && <SigningTrouble error={error} what="Not revoked" />}
      <Loaded of={grants} what="what you have granted">
        {(all) =>
          all.length === 0 ? (
            <Empty title="No auditor may read anything of this payroll." />
          ) : (
            <Table rows={all} keyOf={({ id }) => id} columns={columnsOf(revoke, busy)} />
          )
        }
      </Loaded>
      <p class="actions">
        <button type="button" onClick={() => setGranting(true)}>
          Grant an auditor
        </button>
      </p>
      <GrantForm
        schedule={address}
        isOpen={isGranting}
        onClose={() => setGranting(false)}
        onGranted={() => {
          setGranting(false);
          grants.refresh();
        }}
      />
    </section>
  );
}

const columnsOf = (revoke: (grant: AuditGrant) => void, busy: string | undefined): readonly Column<AuditGrant>[] => [
  { name: 'Auditor', show: ({ auditor }) => <Address address={auditor} copy /> },
  { name: 'May read', show: (grant) => `${scopeText(grant)} of ${windowsText(grant)}` },
  { name: 'Until', class: 'wide', show: ({ endsAt }) => <Time at={endsAt} as="local" /> },
  { name: 'Used', class: 'wide', show: (grant) => <Used grant={grant} /> },
  {
    name: 'Now',
    show: (grant) =>
      grant.state === 'active' && connectedWallet.value !== undefined ? (
        <button
          type="button"
          class="quiet"
          disabled={busy !== undefined}
          aria-label={`Revoke the grant of ${grant.auditor}`}
          onClick={() => revoke(grant)}
        >
          {busy === grant.id ? 'Confirm in your wallet …' : 'Revoke'}
        </button>
      ) : (
        grant.state
      ),
  },
];

function Used({ grant: { used = 0, uses = [] } }: { readonly grant: AuditGrant }) {
  const [last] = uses;
  if (last === undefined) return <span class="faint">never</span>;
  return (
    <>
      {countText(used, 'time')}, last <Time at={last.at} as="relative" />
    </>
  );
}
