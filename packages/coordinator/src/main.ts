#!/usr/bin/env node
import './platform/memory.ts';
import { systemTime } from '@payouts/client';
import { createCoordinator } from './app.ts';
import { runCommand } from './commands/index.ts';
import { readSettings, SettingsError } from './config/settings.ts';
import { settingsTable } from './config/table.ts';
import { warningsOf } from './config/warnings.ts';
import { unexpected } from './platform/log/errorFields.ts';
import { guardOutput } from './platform/log/guard.ts';
import { createLogger } from './platform/log/log.ts';
import { boundOutgoing } from './platform/outgoing.ts';

/** Milliseconds beyond the grace time after which a process that still hangs is ended; the next start stands that as well. */
const HANGS_MS = 5_000;
/** Milliseconds in which a second signal counts as the first one heard twice. */
const SAME_SIGNAL_MS = 300;
/** What a shell shows for a process that ended by SIGINT. */
const EXIT_AT_ONCE = 130;

async function main(): Promise<void> {
  boundOutgoing();
  const command = process.argv.slice(2);
  if (command.length > 0) process.exit(await runCommand(command, { time: systemTime }));
  const settings = readSettings(process.env);
  console.error(settingsTable(settings));
  for (const warning of warningsOf(settings, process.env)) console.error(`! ${warning}`);
  guardOutput(createLogger({ level: settings.logLevel, pretty: settings.logPretty, time: systemTime }));
  const coordinator = await createCoordinator(settings, { time: systemTime });
  let stoppingSince: number | undefined;
  const stop = () => {
    if (stoppingSince !== undefined) {
      // Whoever asks twice does not want to wait; a terminal and a parent may both pass on the same Ctrl-C, though.
      if (Date.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(EXIT_AT_ONCE);
      return;
    }
    stoppingSince = Date.now();
    setTimeout(() => process.exit(1), settings.shutdownGraceMs + HANGS_MS).unref();
    coordinator.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A parent that started this process as its child and went away leaves nobody to stop it.
  process.on('disconnect', () => {
    if (stoppingSince === undefined) stop();
  });
  process.send?.({ type: 'ready', url: coordinator.url });
}

// Whoever read the output may go away before this process does; that ends nothing here.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});

main().catch((error: unknown) => {
  if (error instanceof SettingsError) {
    for (const sentence of error.message.split('\n')) process.stderr.write(`✖ ${sentence}\n`);
    process.stderr.write(
      `  Every setting and its meaning: docs/reference/settings.md, or npm run coordinator -- settings\n`,
    );
  } else process.stderr.write(`✖ ${unexpected(error)}\n`);
  process.exit(1);
});
