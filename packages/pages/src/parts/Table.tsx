import type { ComponentChildren } from 'preact';

/** A column: its name, how it is set (numbers flush right, `wide` where there is room), and what it shows of a row. */
export type Column<T> = {
  readonly name: string;
  readonly class?: 'number' | 'wide' | 'number wide';
  readonly show: (row: T) => ComponentChildren;
};

type Props<T> = {
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
  readonly caption?: string;
  readonly isBusy?: boolean;
};

export const Table = <T,>({ rows, columns, keyOf, caption, isBusy }: Props<T>) => (
  <table aria-busy={isBusy}>
    {caption !== undefined && <caption>{caption}</caption>}
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.name} scope="col" class={column.class}>
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map((column) => (
            <td key={column.name} class={column.class}>
              {column.show(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
