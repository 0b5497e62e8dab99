import { signal } from '@preact/signals';

/** Names by address, as the employer's own file has them. They never leave this tab. */
export type Names = ReadonlyMap<string, string>;

export const names = signal<Names>(new Map());

export const forgetNames = (): void => {
  names.value = new Map();
};

/** What somebody is called: by the employer's own names, or else by the file at hand. */
export const nameOf = (address: string, inFile = ''): string | undefined =>
  names.value.get(address) ?? (inFile === '' ? undefined : inFile);
