import type { RefObject } from 'preact';

/** What this is, and the way to its first place. */
export const Brand = () => (
  <a class="brand" href="./">
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M8.5 16.5l5 5 10-11" />
    </svg>
    My pay
  </a>
);

export const Foot = () => (
  <footer class="foot">
    <div class="inner">
      <span>
        Your pay is not public: you, your employer and whoever runs this service see it. Nothing of it is kept in this
        browser.
      </span>
      <span>
        <a href="./redeem.html">Use a proof file</a>
      </span>
    </div>
  </footer>
);

/** Leads a keyboard past the bar. */
export function Skip({ to }: { readonly to: RefObject<HTMLElement | null> }) {
  const skip = (event: Event) => {
    // The address behind # is a place of this page.
    event.preventDefault();
    to.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads into the page; the browser would take the rest for a place
    <a class="skip" href="#main" onClick={skip}>
      Skip to content
    </a>
  );
}
