import { useId } from 'preact/hooks';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** What is wrong with it; undefined: nothing. */
  readonly wrong?: string | undefined;
  readonly hint?: string;
  readonly isNumber?: boolean;
  readonly placeholder?: string;
};

/** A line to be filled in, with what is wrong right under it. */
export function Field({ label, value, onInput, wrong, hint, isNumber = false, placeholder }: Props) {
  const id = useId();
  const described = [wrong !== undefined && `${id}-wrong`, hint !== undefined && `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={isNumber ? 'decimal' : 'text'}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        aria-invalid={wrong !== undefined}
        aria-describedby={described === '' ? undefined : described}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} class="faint small">
          {hint}
        </p>
      )}
      {wrong !== undefined && (
        <p id={`${id}-wrong`} class="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
