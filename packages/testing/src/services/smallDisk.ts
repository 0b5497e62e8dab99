import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(1 << 16);

/**
 * Mounts a file system of so many bytes, in memory, over a folder: in user and mount name spaces of its own, so nobody else sees it and no
 * right is needed. It goes with this process.
 */
export async function mountSmallDisk(folder: string, bytes: number) {
  const script = 'mount -t tmpfs -o size=$1 tmpfs "$0" && echo mounted && exec cat';
  const holder = spawn('unshare', ['-Urm', 'sh', '-c', script, folder, String(bytes)], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [said] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as [unknown];
  if (!String(said).startsWith('mounted')) {
    throw new Error('This machine gives no file system to a user name space: it needs unshare -Urm.');
  }
  const pid = String(holder.pid);
  const ballast = join('/proc', pid, 'root', folder, 'ballast');
  return {
    /** What a command begins with that is to see it. Inside, it is run by an ordinary user. */
    within: [
      ...['nsenter', '--preserve-credentials', '-U', '-m', '-t', pid],
      ...['unshare', '-U', '--map-user=1000', '--map-group=1000'],
    ],
    /** Leaves no byte free. */
    fill(): void {
      const file = openSync(ballast, 'a');
      try {
        for (;;) writeSync(file, BLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    end: () => {
      holder.kill();
    },
  };
}
