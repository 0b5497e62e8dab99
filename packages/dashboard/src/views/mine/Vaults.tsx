import { openVaultChange, type PlacedSchedule, readToken, schedulesOf, vaultsOf, withName } from '@payouts/employer';
import { readDeployment } from '@payouts/pages/deployment';
import { shortAddress } from '@payouts/pages/format/amount';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { go, href } from '@payouts/pages/router';
import { address as addressOf } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import type { Acting } from '../../employer/acting.ts';
import { Loaded } from '../../parts/Trouble.tsx';
import { ActionDialog, type AskedAction } from './ActionDialog.tsx';
import { Field } from './Fields.tsx';

type Props = {
  readonly acting: Acting;
  /** Payrolls that the coordinator knows; undefined: it has not said. */
  readonly known: ReadonlySet<string> | undefined;
};

/** An employer's vaults with what is available and reserved in each, and the way to another one. */
export function Vaults({ acting, known }: Props) {
  const { ledgers, employer } = acting;
  const vaults = useResource(`vaults ${employer.address}`, async () => {
    const found = await vaultsOf(ledgers, employer.address);
    return Promise.all(
      found.map(async (vault) => ({
        vault,
        token: await readToken(ledgers, vault.mint),
        schedules: await schedulesOf(ledgers, vault),
      })),
    );
  });
  return (
    <section aria-labelledby="vaults">
      <h2 id="vaults">Vaults</h2>
      <Loaded of={vaults} what="your vaults">
        {(found) => (
          <>
            {found.length === 0 && <Empty title="You have no vault yet. Payrolls are paid from one." />}
            <ul class="own" aria-label="Vaults">
              {found.map(({ vault, token }) => (
                <li key={vault.address} class="card">
                  <a href={href(`mine/vaults/${token.mint}`)}>
                    <strong>{withName(vault.available, token)} available</strong>
                    <span>{withName(vault.vault.reserved, token)} reserved</span>
                    <span class="faint">vault {shortAddress(vault.address)}</span>
                  </a>
                  <a class="button" href={href(`mine/new/${token.mint}`)}>
                    New payroll in {token.name}
                  </a>
                </li>
              ))}
            </ul>
            {known !== undefined && (
              <Unregistered
                schedules={found.flatMap(({ schedules }) => schedules).filter(({ address }) => !known.has(address))}
              />
            )}
            <OpenVault acting={acting} onOpen={vaults.refresh} />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Payrolls that are on the ledger, and of which the coordinator has no list. */
const Unregistered = ({ schedules }: { readonly schedules: readonly PlacedSchedule[] }) =>
  schedules.length === 0 ? null : (
    <Notice kind="warn" title="The coordinator knows nothing of these payrolls, so nobody is paid by them.">
      <ul>
        {schedules.map(({ address }) => (
          <li key={address}>
            <a href={href(`mine/${address}`)}>{shortAddress(address)}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );

/** Opens a vault of one of the deployment's tokens, or of any other. */
function OpenVault({ acting, onOpen }: { readonly acting: Acting; readonly onOpen: () => void }) {
  const [mint, setMint] = useState('');
  const [action, setAction] = useState<AskedAction>();
  const known = useResource('tokens', async () => (await readDeployment()).tokens, {
    concerns: () => false,
  });
  const plan = async () => {
    const token = await readToken(acting.ledgers, addressOf(mint.trim()));
    return openVaultChange(acting, token);
  };
  const open = (event: Event) => {
    event.preventDefault();
    setAction({ name: 'Open the vault', plan });
  };
  return (
    <form class="fields" onSubmit={open}>
      <Field name="Open a vault of a token: its mint">
        <input
          list="tokens"
          spellcheck={false}
          autocomplete="off"
          value={mint}
          onInput={(event) => setMint(event.currentTarget.value)}
        />
      </Field>
      <datalist id="tokens">
        {known.data?.map((token) => (
          <option key={token.mint} value={token.mint}>
            {token.symbol ?? shortAddress(token.mint)}
          </option>
        ))}
      </datalist>
      <p class="actions">
        <button type="submit" disabled={mint.trim() === ''}>
          Open a vault
        </button>
      </p>
      <ActionDialog
        acting={acting}
        action={action}
        onDone={() => {
          onOpen();
          go(href(`mine/vaults/${mint.trim()}`));
        }}
        onClose={() => setAction(undefined)}
      />
    </form>
  );
}
