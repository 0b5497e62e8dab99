import type { ComponentChildren } from 'preact';

export type Option = { readonly value: string; readonly name: string };

export const Field = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is what it holds
  <label>
    <span>{name}</span>
    {children}
  </label>
);

type ChoiceProps = {
  readonly options: readonly Option[];
  readonly value: string;
  readonly onChange: (value: string) => void;
};

export const Choice = ({ options, value, onChange }: ChoiceProps) => (
  <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.name}
      </option>
    ))}
  </select>
);

type CountProps = {
  readonly name: string;
  readonly most: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** A number from 1 on. */
export const Count = ({ name, most, value, onChange }: CountProps) => (
  <Field name={name}>
    <input
      type="number"
      min="1"
      max={most}
      required
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </Field>
);
