import type { Argument, Command, Option } from 'commander';

/** What may follow an option or stand as an operand: these values, files, folders, or what nobody can foretell. */
export type Follows = { readonly values: readonly string[]; readonly kind: 'values' | 'files' | 'folders' | 'unknown' };

/** An option of a command; `follows` is undefined for one that takes nothing. */
export type Flag = { readonly name: string; readonly says: string; readonly follows: Follows | undefined };

/** A command as a shell completes it. */
export type CompletionNode = {
  /** Its words, each behind a slash: "/schedule/create"; empty for the program. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly says: string }[];
  readonly flags: readonly Flag[];
  /** What stands as its first operand. */
  readonly operand: Follows;
};

/** Values that are often wanted of options which take others as well, and of operands. */
const OFTEN: Readonly<Record<string, readonly string[]>> = {
  '--every': ['1mo', '2w', '1w', '1d'],
  '--on': ['last', 'last-business-day'],
  '--first': ['now'],
  '--keypair': ['-', 'ASK', 'prompt:', 'usb://ledger'],
  amount: ['all'],
};
const FILES = /^(file|files|payroll|signer)$/;

/** Every command of a program, a parent before its own. */
export function placesOf(command: Command, path = ''): CompletionNode[] {
  const help = command.createHelp();
  const commands = help
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help' || each.parent?.parent === null);
  const place = {
    path,
    commands: commands.flatMap((each) =>
      [each.name(), ...each.aliases()].map((name) => ({ name, says: each.description() })),
    ),
    flags: help.visibleOptions(command).map((option) => ({
      name: option.long as string,
      says: option.description,
      follows: option.required || option.optional ? followsOption(option) : undefined,
    })),
    operand: followsArgument(command.registeredArguments[0]),
  };
  const below = commands.flatMap((each) =>
    [each.name(), ...each.aliases()].flatMap((name) => placesOf(each, `${path}/${name}`)),
  );
  return [place, ...below];
}

function followsOption(option: Option): Follows {
  const taken = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  return follows(taken, option.argChoices ?? OFTEN[option.long as string]);
}

function followsArgument(argument: Argument | undefined): Follows {
  return argument === undefined
    ? { kind: 'unknown', values: [] }
    : follows(argument.name(), argument.argChoices ?? OFTEN[argument.name()]);
}

function follows(taken: string, values: readonly string[] = []): Follows {
  if (FILES.test(taken)) return { kind: 'files', values };
  if (taken === 'folder') return { kind: 'folders', values };
  return { kind: values.length > 0 ? 'values' : 'unknown', values };
}
