/** What is done with something that waits; `who`: the name that is invited, or the address that is paid today. */
export type Doings = {
  readonly onTake: (who: string) => void;
  readonly onForget: (who: string, name: string) => void;
};
