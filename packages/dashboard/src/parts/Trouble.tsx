import { Notice } from '@payouts/pages/parts/Notice';
import type { ComponentChildren } from 'preact';
import { connection } from '../api/live.ts';
import { isUnreachable, troubleOf, unreachable } from '../api/problem.ts';
import type { Resource } from '../api/resource.ts';

/** What went wrong, the remedy, and the code to name to others. */
export function TroubleNotice({ error, what }: { readonly error: unknown; readonly what?: string }) {
  const { title, remedy, code } = troubleOf(error);
  return (
    <Notice kind="bad" title={what === undefined ? title : `${what}: ${title}`}>
      {remedy} <span class="faint">({code})</span>
    </Notice>
  );
}

/** Once for the whole page: nothing on it may be believed to be new. */
export const UnreachableNotice = () =>
  connection.value === 'offline' ? <TroubleNotice error={unreachable()} /> : null;

type LoadedProps<T> = {
  readonly of: Resource<T>;
  readonly what: string;
  readonly children: (data: T) => ComponentChildren;
};

/** What was read; while nothing was, that it is being read, or why it could not be. What is old stays, under the trouble. */
export function Loaded<T>({ of, what, children }: LoadedProps<T>) {
  // Once for the whole page is enough.
  const isSaidAbove = connection.value === 'offline' && isUnreachable(of.error);
  return (
    <>
      {of.error !== undefined && !isSaidAbove && <TroubleNotice error={of.error} />}
      {of.data !== undefined && children(of.data)}
      {of.data === undefined && of.error === undefined && (
        <p class="loading" role="status">
          Reading {what} …
        </p>
      )}
    </>
  );
}
