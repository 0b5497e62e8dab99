import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Time } from '@payouts/client';

type Options = NonNullable<ParseArgsConfig['options']>;

type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>['values'];

/** The command line doesn't fit the command; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What every command is given. */
export type CommandContext = { readonly time: Time };

/** One of the operator's commands. */
export type Command = {
  /** What stands after its name on the command line. */
  readonly synopsis: string;
  /** One sentence for the list of commands. */
  readonly summary: string;
  /** Runs with the words after its name and returns the exit code. Throws `UsageError`, or an error of what it does. */
  run(words: readonly string[], context: CommandContext): Promise<number>;
};

/** A command with options as `util.parseArgs` takes them; `run` gets their values, the words beside them and the context. */
export function command<const O extends Options>(spec: {
  readonly synopsis: string;
  readonly summary: string;
  readonly options: O;
  run(options: Values<O>, operands: readonly string[], context: CommandContext): Promise<number>;
}): Command {
  return {
    synopsis: spec.synopsis,
    summary: spec.summary,
    async run(words, context) {
      const { values, positionals } = parsed(spec.options, words);
      return spec.run(values, positionals, context);
    },
  };
}

function parsed<O extends Options>(options: O, words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Its first sentence names the option; the rest is about how such an option could be written all the same.
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}.`);
  }
}

/** Writes a line to standard output and waits until all of it is there: the process ends soon after. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** Prints a value as JSON if that is asked for, else lines for people. */
export async function show(json: boolean, value: unknown, lines: readonly string[]): Promise<void> {
  if (json) return print(JSON.stringify(value, null, 2));
  for (const line of lines) await print(line);
}

/** The file that is the one operand of a command. Throws `UsageError`. */
export function fileOperand([named, ...more]: readonly string[]): string {
  if (named === undefined || more.length > 0) throw new UsageError('It takes the name of one file.');
  return resolve(named);
}
