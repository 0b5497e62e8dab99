import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './Icon.tsx';

type Props = {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** The browser's own modal dialog: it keeps the focus, closes with Escape and gives the focus back. */
export function Dialog({ title, isOpen, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
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
