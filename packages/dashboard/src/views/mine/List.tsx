import {
  hasEnded,
  heldIndexes,
  hexOf,
  holdRecipient,
  type OwnSchedule,
  ownSchedule,
  releaseRecipient,
} from '@payouts/employer';
import type { Token } from '@payouts/pages/format/amount';
import { amountText, countText, shortAddress, tokenName, tokenText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Icon } from '@payouts/pages/parts/Icon';
import { Empty, Notice } from '@payouts/pages/parts/Notice';
import { type Column, Table } from '@payouts/pages/parts/Table';
import { href } from '@payouts/pages/router';
import type { Address as LedgerAddress } from '@solana/kit';
import { useMemo, useState } from 'preact/hooks';
import type { Entry, Schedule } from '../../api/types.ts';
import { isClosed, labelOf, nameOf, noteOf } from '../../book/book.ts';
import { EditPerson, editPerson } from '../../book/EditPerson.tsx';
import { NamesPanel } from '../../book/NamesPanel.tsx';
import { tokenOf } from '../../format/token.ts';
import { later } from '../../parts/Later.tsx';
import { TroubleNotice } from '../../parts/Trouble.tsx';
import type { AskedAction } from './ActionDialog.tsx';
import { ExportList } from './ExportList.tsx';
import { useWholeList } from './wholeList.ts';

const SHOWN = 100;

type Props = {
  readonly schedule: Schedule;
  /** As the ledger has it, once that is known: then people can be held back. */
  readonly own: OwnSchedule | undefined;
  readonly onAction: (action: AskedAction) => void;
};

/** Who looks at a list alone loads nothing of grants. */
const Grants = later(async () => (await import('../grants/Grants.tsx')).Grants);

/** Who is paid how much by a schedule: found by name, address or amount. */
export function List({ schedule, own, onAction }: Props) {
  const { root, entries, total, error } = useWholeList(schedule.schedulePda, schedule.root);
  const [wanted, setWanted] = useState('');
  const [page, setPage] = useState(0);
  // The ledger knows the token of a payroll that the coordinator has not looked at yet.
  const token = own === undefined ? tokenOf(schedule) : { ...own.token, symbol: own.token.name };
  const decimals = token.decimals ?? 0;
  const query = wanted.trim().toLowerCase();
  const found = query === '' ? entries : entries.filter((entry) => matches(entry, query, decimals));
  const { sum, places } = useMemo(() => totalsOf(found, decimals), [found, decimals]);
  const shown = found.slice(page * SHOWN, (page + 1) * SHOWN);
  const pages = Math.ceil(found.length / SHOWN);
  return (
    <section aria-labelledby="list">
      <h2 id="list">
        Who is paid <a href={href(`schedules/${schedule.schedulePda}`)}>its pay runs</a>
      </h2>
      {schedule.registration.state === 'list-missing' ? (
        <Notice kind="warn" title="The list of the current root is not registered here." />
      ) : (
        error !== undefined && <TroubleNotice error={error} what="The list was not opened" />
      )}
      <NamesPanel addresses={entries.map(({ recipient }) => recipient)} />
      <div class="finder">
        <label>
          Find a name, label, address or amount
          <input
            type="search"
            data-search
            value={wanted}
            onInput={(event) => {
              setWanted(event.currentTarget.value);
              setPage(0);
            }}
          />
        </label>
        <p role="status">
          {entries.length < total &&
            `Opening ${entries.length.toLocaleString('en')} of ${total.toLocaleString('en')} … `}
          <b>{tokenText(sum, token)}</b> each time to {countText(found.length, 'entry', 'entries')}
        </p>
      </div>
      {found.length === 0 && entries.length > 0 && <Empty title="Nobody in the list is found by that." />}
      {shown.length > 0 && (
        <Table
          rows={shown}
          keyOf={({ index }) => index}
          caption="Decrypted in this tab only"
          columns={[...columnsOf(token, places), ...holdColumn(own, { root, entries }, onAction)]}
        />
      )}
      {pages > 1 && (
        <nav class="pager" aria-label="Pages of the list">
          <span class="faint">
            Page {page + 1} of {pages}
          </span>
          <span class="links">
            <button
              type="button"
              class="quiet"
              data-key="previous"
              disabled={page === 0}
              onClick={() => setPage(page - 1)}
            >
              Before
            </button>
            <button type="button" data-key="next" disabled={page + 1 === pages} onClick={() => setPage(page + 1)}>
              Next
            </button>
          </span>
        </nav>
      )}
      {entries.length > 0 && entries.length === total && token.decimals !== null && (
        <ExportList schedule={schedule.schedulePda} entries={entries} decimals={token.decimals} />
      )}
      <EditPerson />
      <Grants schedule={schedule.schedulePda} />
    </section>
  );
}

const columnsOf = (token: Token, places: number): readonly Column<Entry>[] => [
  {
    name: 'Name',
    show: ({ recipient }) => (
      <span class="address person">
        {nameOf(recipient) ?? <span class="faint">–</span>}{' '}
        {!isClosed.value && (
          <button
            type="button"
            class="icon"
            aria-label={`Edit the name of ${recipient}`}
            onClick={() => editPerson(recipient)}
          >
            <Icon path="M3 13l1-3.5 7-7 2.5 2.5-7 7z" />
          </button>
        )}
      </span>
    ),
  },
  {
    name: 'Label',
    class: 'wide',
    show: ({ recipient }) => (
      <>
        {labelOf(recipient) ?? <span class="faint">–</span>} <span class="faint">{noteOf(recipient)}</span>
      </>
    ),
  },
  { name: 'Address', show: ({ recipient }) => <Address address={recipient} copy /> },
  {
    name: 'Arrives in',
    class: 'wide',
    show: ({ delivery }) => (delivery === 'wallet' ? 'wallet' : 'private balance'),
  },
  {
    name: `${token.decimals === null ? 'Base units' : tokenName(token)} each time`,
    class: 'number',
    show: ({ amount }) => amountText(amount, token.decimals ?? 0, places),
  },
];

/** Whether somebody is held back, and the button that changes it. */
function holdColumn(
  own: OwnSchedule | undefined,
  { root, entries }: { readonly root: string; readonly entries: readonly Entry[] },
  onAction: (action: AskedAction) => void,
): readonly Column<Entry>[] {
  // The ledger holds back places, and another list has others at the same ones.
  if (own === undefined || hasEnded(own.schedule) || root !== hexOf(own.schedule.root)) return [];
  const held = heldIndexes(own.schedule);
  const change = (isHeld: boolean, recipient: string) => {
    const input = {
      recipient: recipient as LedgerAddress,
      list: { root: own.schedule.root, recipients: ofLedger(entries) },
    };
    // Against the ledger as it is now: an approver may have put another list in place since this one was read.
    const plan = async () => (isHeld ? releaseRecipient : holdRecipient)(await ownSchedule(own, own.address), input);
    onAction({ name: isHeld ? 'Release' : 'Hold back', plan });
  };
  return [
    {
      name: 'Held back',
      show: ({ index, recipient }) => {
        const isHeld = held.has(index);
        const who = nameOf(recipient) ?? shortAddress(recipient);
        return (
          <>
            {isHeld && <strong class="warn-text">held </strong>}
            <button
              type="button"
              class="link"
              aria-label={`${isHeld ? 'Release' : 'Hold back'} ${who}`}
              onClick={() => change(isHeld, recipient)}
            >
              {isHeld ? 'Release' : 'Hold back'}
            </button>
          </>
        );
      },
    },
  ];
}

function totalsOf(entries: readonly Entry[], decimals: number) {
  let sum = 0n;
  let places = 2;
  for (const { amount } of entries) {
    sum += BigInt(amount);
    // As many decimals in each line as one of them needs, so that points stand below each other.
    places = Math.max(places, decimalsOf(amount, decimals));
  }
  return { sum, places };
}

const ofLedger = (entries: readonly Entry[]) =>
  entries.map(({ index, recipient, amount }) => ({
    index,
    recipient: recipient as LedgerAddress,
    amount: BigInt(amount),
  }));

function matches({ recipient, amount }: Entry, wanted: string, decimals: number): boolean {
  const isCalled = [nameOf(recipient), labelOf(recipient), noteOf(recipient)].some((text) =>
    text?.toLowerCase().includes(wanted),
  );
  return isCalled || recipient.toLowerCase().startsWith(wanted) || amountText(amount, decimals).startsWith(wanted);
}

const decimalsOf = (amount: string, decimals: number): number =>
  (amountText(amount, decimals).split('.')[1] ?? '').length;
