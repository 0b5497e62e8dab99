import { computed, signal } from '@preact/signals';

/**
 * Where the page is: behind the `#`, so that no server and no proxy learns which schedule somebody looks at, and the page is one file
 * to serve. Filters and pages stand in it, so that a view can be sent to a colleague.
 */
export type PageLocation = { readonly path: readonly string[]; readonly query: URLSearchParams };

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const place = computed((): PageLocation => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
});

/** The address of a place within the page; undefined values of the query are left out. */
export function href(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const set = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  const text = new URLSearchParams(set).toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

export function go(to: string): void {
  location.hash = to;
}
