import { TotalsUnknown } from '../audit/read.ts';
import { SettingsError } from '../config/settings.ts';
import { RunError } from '../domain/errors.ts';
import { unexpected } from '../platform/log/errorFields.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import { BackupFailed } from '../store/db/manifest.ts';
import { DatabaseInUse } from '../store/db/processLock.ts';
import { backup } from './backup.ts';
import { backupVerify } from './backupVerify.ts';
import { type Command, type CommandContext, print, UsageError } from './command.ts';
import { configCheck } from './configCheck.ts';
import { keysRotate } from './keysRotate.ts';
import { keysShow } from './keysShow.ts';
import { liabilityProof } from './liabilityProof.ts';
import { migrate } from './migrate.ts';
import { reconcile } from './reconcile.ts';
import { errors, metrics, openapi } from './references.ts';
import { restore } from './restore.ts';
import { retention } from './retention.ts';
import { roundsSet } from './roundsSet.ts';
import { roundsShow } from './roundsShow.ts';
import { Refused } from './runArguments.ts';
import { runsAbandon } from './runsAbandon.ts';
import { runsList } from './runsList.ts';
import { runsResume } from './runsResume.ts';
import { runsShow } from './runsShow.ts';
import { schedulesDelete } from './schedulesDelete.ts';
import { schedulesTotals } from './schedulesTotals.ts';
import { settings } from './settings.ts';

/** The operator's commands by name; a name has one word or two. */
const COMMANDS: Readonly<Record<string, Command>> = {
  backup,
  'backup verify': backupVerify,
  'config check': configCheck,
  errors,
  'keys rotate': keysRotate,
  'keys show': keysShow,
  metrics,
  openapi,
  'liability-proof': liabilityProof,
  migrate,
  reconcile,
  restore,
  retention,
  'rounds set': roundsSet,
  'rounds show': roundsShow,
  'runs abandon': runsAbandon,
  'runs list': runsList,
  'runs resume': runsResume,
  'runs show': runsShow,
  'schedules delete': schedulesDelete,
  'schedules totals': schedulesTotals,
  settings,
};

/** Errors whose message says to an operator what to fix. */
const KNOWN = [
  BackupFailed,
  Refused,
  SettingsError,
  RunError,
  DatabaseInUse,
  WrongPayloadKey,
  DecryptionFailed,
  TotalsUnknown,
];

const EXIT_FAILED = 1;
const EXIT_WRONG_USAGE = 2;

/** Every command with what it does. */
function usage(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { synopsis, summary }]) => `  ${`${name} ${synopsis}`.trim()}\n      ${summary}`,
  );
  return ['Usage: coordinator [COMMAND]', '', 'Without a command the service runs. Commands:', ...lines].join('\n');
}

function usageOf(name: string, { synopsis, summary }: Command): string {
  return `Usage: coordinator ${`${name} ${synopsis}`.trim()}\n\n${summary}`;
}

/** The command that the words begin with, and the words after its name. */
function find(words: readonly string[]): { name: string; found: Command; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (found !== undefined) return { name, found, rest: words.slice(length) };
  }
  return undefined;
}

/**
 * Runs an operator's command and returns the exit code: 0 done, 1 failed, 2 wrong usage. What it prints on standard output may be
 * private: it is meant for whoever asked.
 */
export async function runCommand(words: readonly string[], context: CommandContext): Promise<number> {
  const isHelp = words.some((word) => word === '--help' || word === '-h' || word === 'help');
  const asked = find(words);
  if (asked === undefined) {
    if (isHelp) {
      await print(usage());
      return 0;
    }
    console.error(`✖ There is no such command.\n\n${usage()}`);
    return EXIT_WRONG_USAGE;
  }
  if (isHelp) {
    await print(usageOf(asked.name, asked.found));
    return 0;
  }
  try {
    return await asked.found.run(asked.rest, context);
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`✖ ${error.message}\n\n${usageOf(asked.name, asked.found)}`);
      return EXIT_WRONG_USAGE;
    }
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    console.error(`✖ ${isKnown ? (error as Error).message : unexpected(error)}`);
    return EXIT_FAILED;
  }
}
