import './memory.ts';
import { runCommand } from './commands.ts';
import { readSettings, SettingsError } from './config/settings.ts';
import { settingsTable } from './config/table.ts';
import { createCoordinator } from './coordinator.ts';

/** Milliseconds for an orderly end; a process that hangs longer is ended, which the next start stands as well. */
const STOP_WITHIN_MS = 15_000;

async function main(): Promise<void> {
  const command = process.argv.slice(2);
  if (command.length > 0) process.exit(await runCommand(command));
  const settings = readSettings(process.env);
  console.error(settingsTable(settings));
  const coordinator = await createCoordinator(settings);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    coordinator.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A parent that started this process as its child and went away leaves nobody to stop it.
  process.on('disconnect', stop);
  process.send?.({ type: 'ready', url: coordinator.url });
}

// Whoever read the output may go away before this process does; that ends nothing here.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});

main().catch((error: unknown) => {
  if (error instanceof SettingsError) console.error(`✖ ${error.message}`);
  else console.error(error);
  process.exit(1);
});
