import {
  type InvitingSession,
  invite,
  invitingEffects,
  LINKS_ADVICE,
  readToken,
  type TokenInfo,
  vaultsOf,
} from '@payouts/employer';
import { readDeployment } from '@payouts/pages/deployment';
import { Copy } from '@payouts/pages/parts/Address';
import { Notice } from '@payouts/pages/parts/Notice';
import { useTime } from '@payouts/pages/useTime';
import type { Address } from '@solana/kit';
import { useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import type { Acting } from '../../../employer/acting.ts';
import { zonedText } from '../../../format/zoned.ts';
import { Loaded } from '../../../parts/Trouble.tsx';
import { type AskedChange, ChangeDialog } from '../ChangeDialog.tsx';
import { Field } from '../Fields.tsx';

const DAY_MS = 86_400_000;
/** How long a link may be good, in days. */
const DAYS = ['7', '14', '30', '90'] as const;

type Props = { readonly acting: Acting; readonly session: InvitingSession; readonly onInvited: () => void };
type From = { readonly vault: Address; readonly token: TokenInfo };

/** Makes a link for each of some people. */
export function Invite({ acting, ...rest }: Props) {
  const { ledgers, employer } = acting;
  const from = useResource(
    `inviting ${employer.address}`,
    async () => {
      const vaults = await vaultsOf(ledgers, employer.address);
      const { recipientPage } = await readDeployment();
      const named = vaults.map(async ({ address, mint }) => ({
        vault: address,
        token: await readToken(ledgers, mint),
      }));
      return { vaults: await Promise.all(named), recipientPage };
    },
    { concerns: () => false },
  );
  return (
    <section aria-labelledby="invite">
      <h2 id="invite">Invite people</h2>
      <Loaded of={from} what="your vaults">
        {({ vaults, recipientPage }) => {
          if (vaults.length === 0) return <p>You have no vault yet: open one first, under My payrolls.</p>;
          if (recipientPage === null) return <p>This coordinator serves no page for recipients, where links lead.</p>;
          return <Form vaults={vaults} page={new URL(recipientPage, location.href).href} {...rest} />;
        }}
      </Loaded>
    </section>
  );
}

type FormProps = Omit<Props, 'acting'> & { readonly vaults: readonly From[]; readonly page: string };
type Fields = { readonly names: string; readonly from: string; readonly days: string; readonly vault: string };

const namesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Form({ vaults, page, session, onInvited }: FormProps) {
  const time = useTime();
  const [fields, setFields] = useState<Fields>({ names: '', from: '', days: '14', vault: vaults[0]?.vault ?? '' });
  const [change, setChange] = useState<AskedChange>();
  const set = (part: Partial<Fields>) => setFields({ ...fields, ...part });
  const names = namesIn(fields.names);
  const ask = (event: Event) => {
    event.preventDefault();
    const { from, days, vault } = fields;
    const expiresAt = time.now() + Number(days) * DAY_MS;
    const wanted = { vault: vault as Address, names, from: from.trim(), expiresAt, page };
    setChange({
      name: 'Make the links',
      effects: invitingEffects(names.length, expiresAt, zonedText),
      send: async () => {
        const made = await invite(session, wanted);
        onInvited();
        set({ names: '' });
        return <Links made={made} />;
      },
    });
  };
  return (
    <form onSubmit={ask}>
      <Field name="Names, as your payroll has them: one in each line">
        <textarea rows={4} value={fields.names} onInput={(event) => set({ names: event.currentTarget.value })} />
      </Field>
      <p class="fields">
        <Field name="Who you are, as they know you">
          <input
            type="text"
            autocomplete="organization"
            value={fields.from}
            onInput={(event) => set({ from: event.currentTarget.value })}
          />
        </Field>
        <Field name="They are paid in">
          <select value={fields.vault} onChange={(event) => set({ vault: event.currentTarget.value })}>
            {vaults.map(({ vault, token }) => (
              <option key={vault} value={vault}>
                {token.name}
              </option>
            ))}
          </select>
        </Field>
        <Field name="The links are good for">
          <select value={fields.days} onChange={(event) => set({ days: event.currentTarget.value })}>
            {DAYS.map((days) => (
              <option key={days} value={days}>
                {days} days
              </option>
            ))}
          </select>
        </Field>
      </p>
      <p class="actions">
        <button type="submit" disabled={names.length === 0}>
          Make the links
        </button>
        <span class="faint">Your wallet signs that they are kept, sealed: the coordinator reads no name.</span>
      </p>
      <ChangeDialog change={change} onClose={() => setChange(undefined)} />
    </form>
  );
}

type LinksProps = { readonly made: readonly { readonly name: string; readonly link: string }[] };

/** Links, once: they are kept nowhere. */
const Links = ({ made }: LinksProps) => (
  <>
    <Notice kind="good" title={LINKS_ADVICE}>
      They are shown this once.
    </Notice>
    <ul class="links">
      {made.map(({ name, link }) => (
        <li key={name}>
          <strong>{name}</strong> <Copy text={link} what={`the link of ${name}`} />
          <code class="break">{link}</code>
        </li>
      ))}
    </ul>
  </>
);
