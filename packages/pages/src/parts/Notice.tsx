import type { ComponentChildren } from 'preact';

type NoticeProps = {
  readonly kind: 'bad' | 'warn' | 'info' | 'good';
  readonly title: string;
  readonly children?: ComponentChildren;
};

/** A sentence that somebody should see, and what to do. */
export const Notice = ({ kind, title, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    <strong>{title}</strong>
    {children !== undefined && <div>{children}</div>}
  </div>
);

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p>{title}</p>
    {children}
  </div>
);
