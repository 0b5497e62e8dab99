type Props = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly rows?: number;
};

/** A field for a text as somebody or something else has made it: pasted, neither corrected nor suggested. */
export const PasteField = ({ label, value, onInput, rows = 4 }: Props) => (
  <label>
    {label}
    <textarea
      rows={rows}
      spellcheck={false}
      autocomplete="off"
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);
