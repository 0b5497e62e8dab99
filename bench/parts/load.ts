// Sends GET requests at a fixed rate, from a process of its own, and says how long each answer took. An open loop: a late answer does
// not put off the next request, so that a slow server shows.
import { Agent, get } from 'node:http';

const [url = '', rate = '500', seconds = '10', ...paths] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const took: number[] = [];
const statuses = new Map<number, number>();

function ask(path: string): Promise<void> {
  const began = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => {
      took.push(performance.now() - began);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      resolve();
    };
    get(url + path, { agent }, (response) => {
      response.resume();
      response.on('end', () => end(response.statusCode ?? 0));
    }).on('error', () => end(0));
  });
}

const asked: Promise<void>[] = [];
const began = performance.now();
const total = Number(rate) * Number(seconds);
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * Number(rate)));
    while (asked.length < due) asked.push(ask(paths[asked.length % paths.length] as string));
    if (asked.length < total) return;
    clearInterval(timer);
    resolve();
  }, 1);
});
await Promise.all(asked);
process.send?.({ took, statuses: [...statuses] });
