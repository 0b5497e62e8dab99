import type { ComponentChildren } from 'preact';

/** Names and values, side by side where there is room. */
export const Facts = ({ children }: { readonly children: ComponentChildren }) => <dl class="facts">{children}</dl>;

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
