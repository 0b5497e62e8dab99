// From `npm start`, everything installed and nothing begun, to the first window settled.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@payouts/localnet';
import { judged, type Measure } from '../row.ts';
import { median } from '../statistics.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Seconds from `npm start -- --once` in an empty folder to the line that says its first window is settled. Throws unless it ends with 0. */
async function startOnce(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-start-'));
  // Each ledger's websocket takes the next one.
  const first = await freePorts(5);
  const ports = ['--port', first, '--base-port', first + 1, '--layer-port', first + 3].map(String);
  const begun = performance.now();
  const child = spawn('npm', ['start', '--', '--once', '--dir', folder, ...ports], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ended = once(child, 'exit');
    let settled: number | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      if (/^Window \d+: settled/.test(line)) settled ??= (performance.now() - begun) / 1_000;
    }
    const [code] = (await ended) as [number | null];
    if (code !== 0 || settled === undefined) throw new Error(`npm start ended with ${code}.`);
    return settled;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const start: Measure = {
  name: 'start',
  minutes: 1.2,
  async run(quick) {
    const took: number[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) took.push(await startOnce());
    return [
      judged({
        name: 'npm start, installed, to the first window settled',
        measured: median(took),
        unit: ' s',
        goal: { most: 15 },
      }),
    ];
  },
};
