import { href } from '@payouts/pages/router';

type Props = {
  readonly path: string;
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly cursor: string | undefined;
  readonly next: string | null;
  readonly shown: number;
};

/** Pages come by cursor: forward by the one that the answer has, back by the browser's own history. */
export const Pager = ({ path, filters, cursor, next, shown }: Props) => (
  <nav class="pager" aria-label="Pages">
    <span class="faint">{shown.toLocaleString('en')} shown</span>
    <span class="links">
      {cursor !== undefined && (
        <>
          <a href={href(path, filters)}>Newest</a>
          <button type="button" class="quiet" data-key="previous" onClick={() => history.back()}>
            Newer
          </button>
        </>
      )}
      {next !== null && (
        <a data-key="next" class="button" href={href(path, { ...filters, cursor: next })}>
          Older
        </a>
      )}
    </span>
  </nav>
);
