import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { payoutProgram } from '@payouts/cli/payout';
import { PAYOUT } from '@payouts/testing/program';
import type { Command } from 'commander';
import { root, writeProgram } from './clone.ts';

/** Commands of `payout` that ask before they change something, as they are written. */
export function asking(program: Command, words: readonly string[] = []): string[] {
  const here = program.options.some(({ long }) => long === '--yes') ? [words.join(' ')] : [];
  return [...here, ...program.commands.flatMap((inner) => asking(inner, [...words, inner.name()]))];
}

const JSON_OF = (path: string) => `node -pe 'JSON.parse(fs.readFileSync(0, "utf8"))${path}'`;

/** Programs by which the base ledger's clock is turned until a schedule's next window is due. */
export function writeClockPrograms(folder: string): void {
  const program = (name: string, ...lines: readonly string[]) => writeScript(folder, name, lines);
  // Time passes once it watches: earlier the window would be settled before, and the next one is far away.
  program(
    'watch-until-due',
    `payout watch "$1" --once | while read -r line; do`,
    `  echo "$line"; if [[ $line == *" is due "* ]]; then pass-time-to-due "$1"; fi`,
    'done',
  );
  // The ledger's clock goes on until the schedule's next window is due.
  program(
    'pass-time-to-due',
    `due=$(curl --fail --silent "$PAYOUT_API/api/schedules/$1" | ${JSON_OF('.nextExecution')})`,
    `curl --fail --silent --output /dev/null --header 'content-type: application/json' --data \\`,
    `  "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"localnet_warpClock\\",\\"params\\":[{\\"unixTimestamp\\":$((due / 1000))}]}" "$STAGE_BASE"`,
  );
}

/** Writes a program of these lines of the shell's language. */
export function writeScript(folder: string, name: string, lines: readonly string[]): void {
  writeProgram(folder, name, `#!/usr/bin/env bash\nset -euo pipefail\n${lines.join('\n')}\n`);
}

/** What a shell finds beside the machine's own programs: the command `payout`, docker's words checked, and what words stand for. */
export function writePrograms(folder: string): void {
  const node = `${process.execPath} --conditions=@payouts/source --import ${
    pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  }`;
  const program = (name: string, ...lines: readonly string[]) => writeScript(folder, name, lines);
  // Whoever types says yes, where nobody can be asked.
  const questions = asking(payoutProgram()).map((words) => `"${words} "*`);
  program(
    'payout',
    'yes=()',
    `if [ ! -t 0 ]; then case "$* " in ${questions.join('|')}) yes=(--yes);; esac; fi`,
    `exec ${process.execPath} ${root}packages/${PAYOUT} "$@" "\${yes[@]}"`,
  );
  program('docker', `exec ${node} ${root}test/docs/docker.ts "$@"`);
  program('new-folder', 'mktemp --dry-run --directory');
  program('in-two-months', "date --utc --date='60 days' +%F");
  program(
    'a-payslip',
    'folder=$(new-folder)',
    'payout receipts fetch "$STAGE_SCHEDULE" 0 --out "$folder" >&2',
    'echo "$folder"/*.json',
  );
  program('newest-schedule', `payout schedule list --token "$STAGE_MINT" --json | ${JSON_OF('.at(-1).schedule')}`);
  program(
    'last-grant',
    `payout audit list "$STAGE_SCHEDULE" --json | ${JSON_OF('.grants.find((one) => one.state === "active").id')}`,
  );
  writeClockPrograms(folder);
  // What waits for its release, also by a standing order, stays in the balance.
  program(
    'when-all-is-paid',
    `ids() { payout balance --json | ${JSON_OF('.balances.flatMap((one) => one.withdrawals.map(({ id }) => id)).join(" ")')}; }`,
    'is_paid() { [ -z "$(ids)" ]; }',
    // Parts that stood ready, too, if pay has covered them meanwhile: they would leave nothing of the balance.
    'payout cancel --all --yes >/dev/null 2>&1 || true',
    'for _ in $(seq 60); do if is_paid; then exit 0; fi; sleep 0.5; done; echo "A withdrawal is still under way." >&2; exit 1',
  );
}
