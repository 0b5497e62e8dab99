import { signal } from '@preact/signals';

/** Names by address, as the employer's own file has them. They never leave this tab. */
export type Names = ReadonlyMap<string, string>;

export const names = signal<Names>(new Map());

export const forgetNames = (): void => {
  names.value = new Map();
};
