import { type Command, command, print, UsageError } from './command.ts';

/** A command that prints a text and takes nothing. */
export const printed = (summary: string, text: () => string | Promise<string>): Command =>
  command({
    synopsis: '',
    summary,
    options: {},
    async run(_, operands) {
      if (operands.length > 0) throw new UsageError('It takes nothing.');
      await print((await text()).trimEnd());
      return 0;
    },
  });
