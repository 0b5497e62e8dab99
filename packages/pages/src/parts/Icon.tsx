/** A small drawing of lines, 16 by 16, beside or in place of words that say the same. */
export const Icon = ({ path, class: kind = 'line' }: { readonly path: string; readonly class?: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} class={kind} />
  </svg>
);
