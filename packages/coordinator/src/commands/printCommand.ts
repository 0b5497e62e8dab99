import { type Command, type CommandContext, command, print, UsageError } from './command.ts';

/** A command that prints a text and takes nothing. */
export const printCommand = (summary: string, text: (context: CommandContext) => string | Promise<string>): Command =>
  command({
    synopsis: '',
    summary,
    options: {},
    async run(_, operands, context) {
      if (operands.length > 0) throw new UsageError('It takes nothing.');
      await print((await text(context)).trimEnd());
      return 0;
    },
  });
