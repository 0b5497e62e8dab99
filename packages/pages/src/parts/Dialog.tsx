import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './Icon.tsx';

type Props = {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** Gives the focus to the view if nothing has it: a keyboard goes on from there. */
function findFocus(): void {
  if (document.activeElement === document.body) document.querySelector('main')?.focus({ preventScroll: true });
}

/** The browser's own modal dialog: it keeps the focus, closes with Escape and gives the focus back, to the view if what opened it is gone. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // At once, and not with the next frame: until it is closed the browser gives the focus to nothing else.
  useLayoutEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (isOpen || !dialog.current?.open) return;
    dialog.current.close();
    findFocus();
  }, [isOpen]);
  // What opened it may go together with it.
  useEffect(() => () => queueMicrotask(findFocus), []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose} onClick={closeOutside}>
      <div class="sheet">
        <header class="row between">
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon" onClick={onClose} aria-label="Close">
            <Icon path="M3.5 3.5l9 9M12.5 3.5l-9 9" />
          </button>
        </header>
        {isOpen && children}
      </div>
    </dialog>
  );
}
