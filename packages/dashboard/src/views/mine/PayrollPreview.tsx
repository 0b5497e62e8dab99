import { type Preview, previewRows, previewSentences, summaryRows, type TokenInfo } from '@payouts/employer';
import { countText } from '@payouts/pages/format/amount';
import { Address } from '@payouts/pages/parts/Address';
import { Fact, Facts } from '@payouts/pages/parts/Facts';
import { Notice } from '@payouts/pages/parts/Notice';
import type { Column } from '@payouts/pages/parts/Table';
import { useCallback, useId } from 'preact/hooks';
import { labelOf, nameOf } from '../../book/book.ts';
import type {
  NamedChange,
  NamedPerson,
  OpenedComparison,
  OpenedPayroll,
  PayrollRow,
} from '../../employer/payrollDesk.ts';
import type { RemoteDesk } from '../../employer/useDesk.ts';
import { inPayRuns } from '../../format/words.ts';
import { VirtualTable } from './VirtualTable.tsx';

const upperFirst = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Names and values that the command prints in the same words. */
export const Rows = ({ rows }: { readonly rows: readonly (readonly [string, string])[] }) => (
  <Facts>
    {rows.map(([name, value]) => (
      <Fact key={name} name={upperFirst(inPayRuns(name))}>
        <span class="break">{value}</span>
      </Fact>
    ))}
  </Facts>
);

type Who = NamedPerson & Pick<PayrollRow, 'recipient'>;

/** What is known of somebody: by the names that are kept, and by the file. */
const WHO: readonly Column<Who>[] = [
  { name: 'Name', show: ({ name, recipient }) => known(nameOf(recipient) ?? name) },
  { name: 'Label', class: 'wide', show: ({ label, recipient }) => known(labelOf(recipient) ?? label) },
  { name: 'Address', show: ({ recipient }) => <Address address={recipient} copy /> },
];

const known = (text: string) => text || <span class="faint">–</span>;

const ARRIVES: Column<PayrollRow> = {
  ...{ name: 'Arrives in', class: 'wide' },
  show: ({ toWallet }) => (toWallet ? 'wallet' : 'private balance'),
};
const AMOUNT: Column<PayrollRow> = { name: 'Each pay run', class: 'number', show: ({ amount }) => amount };
const LINES: readonly Column<PayrollRow>[] = [...WHO, ARRIVES, AMOUNT];

/** The same where amounts are converted from a currency. */
const CONVERTED_LINES: readonly Column<PayrollRow>[] = [
  ...WHO,
  ARRIVES,
  { name: 'In the file', class: 'number', show: ({ inCurrency }) => known(inCurrency) },
  AMOUNT,
];

const CHANGES: readonly Column<NamedChange>[] = [
  ...WHO,
  {
    name: 'Change',
    show: ({ what, isUnusual }) => (isUnusual ? <strong class="warn-text">{what}, above the usual</strong> : what),
  },
  { name: 'Before → after', class: 'number', show: ({ amounts }) => amounts },
];

/** Whole addresses: whoever looks compares each of them with what they were told. */
const MOVES: readonly Column<NamedChange>[] = [
  { name: 'Name', show: ({ name, recipient }) => nameOf(recipient) ?? name },
  { name: 'Address until now', show: ({ from }) => <code>{from}</code> },
  { name: 'New address', show: ({ recipient }) => <code>{recipient}</code> },
];

/** What a list changes of the one before it, one by one: whose address, names, amounts, and who is new above the usual. */
export function Changes({ desk, comparison }: { readonly desk: RemoteDesk; readonly comparison: OpenedComparison }) {
  const { moved, rows } = comparison;
  const loadMoves = useCallback(async (from: number, to: number) => desk.changes(from, to), [desk, comparison]);
  const load = useCallback(
    async (from: number, to: number) => desk.changes(moved + from, moved + to),
    [desk, comparison],
  );
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>What changes</h2>
      <Warnings sentences={comparison.sentences} />
      {moved > 0 && <VirtualTable count={moved} columns={MOVES} load={loadMoves} caption="Changed addresses" />}
      {rows > moved && (
        <VirtualTable count={rows - moved} columns={CHANGES} load={load} caption="Changes, the largest first" />
      )}
    </section>
  );
}

/** A sentence that ends with a question is one that somebody should answer for themselves. */
const Warnings = ({ sentences }: { readonly sentences: readonly string[] }) => (
  <>
    {sentences.map((sentence) =>
      sentence.endsWith('?') ? (
        <Notice key={sentence} kind="warn" title={sentence} />
      ) : (
        <p key={sentence}>{inPayRuns(sentence)}</p>
      ),
    )}
  </>
);

type Props = {
  readonly desk: RemoteDesk;
  readonly payroll: OpenedPayroll;
  readonly preview: Preview | undefined;
  readonly token: TokenInfo;
};

/** Everything that there is to see of a payroll before it is promised. */
export function PayrollPreview({ desk, payroll, preview, token }: Props) {
  const load = useCallback(async (from: number, to: number) => desk.lines(from, to), [desk, payroll]);
  const { summary, doubts, conversions } = payroll;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      <Rows rows={preview === undefined ? summaryRows(summary, token) : previewRows(preview, token)} />
      {preview !== undefined && <Warnings sentences={previewSentences(preview, token)} />}
      <Warnings sentences={conversions} />
      {doubts.length > 0 && (
        <Notice kind="warn" title="Have a look at:">
          <ul>
            {doubts.map((doubt) => (
              <li key={doubt}>{doubt}</li>
            ))}
          </ul>
        </Notice>
      )}
      <VirtualTable
        count={summary.recipients}
        columns={conversions.length > 0 ? CONVERTED_LINES : LINES}
        load={load}
        caption={`${countText(summary.recipients, 'line')} of the payroll`}
      />
    </section>
  );
}
