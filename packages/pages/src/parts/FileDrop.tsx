import { useState } from 'preact/hooks';

type Props = {
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
  readonly isBusy?: boolean;
};

/** Takes a file that is dropped here or chosen. It is read in this tab and sent nowhere. */
export function FileDrop({ label, accept, onFile, isBusy = false }: Props) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) onFile(file);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const choose = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file !== undefined) onFile(file);
    // The same file may be opened again after it was corrected.
    input.value = '';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same without dragging
    <div class={isOver ? 'drop over' : 'drop'} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      <label class="button file">
        {label}
        <input
          class="hidden"
          type="file"
          accept={accept}
          disabled={isBusy}
          onChange={(event) => choose(event.currentTarget)}
        />
      </label>
      <span class="faint">{isBusy ? 'Reading …' : 'or drop it here. It is read in this tab.'}</span>
    </div>
  );
}
