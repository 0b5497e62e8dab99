import type { Column } from '@payouts/pages/parts/Table';
import { useEffect, useRef, useState } from 'preact/hooks';

type Props<T> = {
  readonly count: number;
  readonly columns: readonly Column<T>[];
  /** Rows from one place to another. */
  readonly load: (from: number, to: number) => Promise<readonly T[]>;
  readonly caption: string;
};

/** Pixels of a row, which never breaks; rows that are read at once, around those that are seen. */
const ROW = 34;
const READ = 48;

/** A table of any length: only the rows around those that are seen are in the page. */
export function VirtualTable<T>({ count, columns, load, caption }: Props<T>) {
  const [part, setPart] = useState<{ readonly from: number; readonly rows: readonly T[] }>({ from: 0, rows: [] });
  const [wanted, setWanted] = useState(0);
  const latest = useRef(wanted);
  latest.current = wanted;
  useEffect(() => {
    const from = Math.max(0, wanted - READ / 3);
    load(from, Math.min(count, from + READ)).then((rows) => {
      if (latest.current === wanted) setPart({ from, rows });
    });
  }, [load, count, wanted]);
  const scrolled = (event: Event) => {
    const seen = Math.floor((event.currentTarget as HTMLElement).scrollTop / ROW);
    const isFar = Math.abs(seen - wanted) > READ / 6;
    if (isFar) setWanted(Math.floor(seen));
  };
  const after = Math.max(0, count - part.from - part.rows.length);
  return (
    <section
      class="virtual"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard, too
      tabIndex={0}
      aria-label={caption}
      onScroll={scrolled}
    >
      <table aria-rowcount={count + 1}>
        <thead>
          <tr>
            {columns.map(({ name, class: kind }) => (
              <th key={name} scope="col" class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={part.from} columns={columns.length} />
          {part.rows.map((row, place) => (
            <tr key={part.from + place} aria-rowindex={part.from + place + 2}>
              {columns.map(({ name, class: kind, show }) => (
                <td key={name} class={kind}>
                  {show(row)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer rows={after} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** Keeps the place of rows that are not in the page. */
const Spacer = ({ rows, columns }: { readonly rows: number; readonly columns: number }) =>
  rows === 0 ? null : (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
