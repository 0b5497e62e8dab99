import { isPortFree } from '@payouts/localnet';

/** Below those that systems give out by themselves, so that nobody else takes one between the look and its use. */
const [LOWEST, HIGHEST] = [10_000, 30_000];
/** What a process begins with, so that two of them seldom look at the same. */
let next = LOWEST + ((process.pid * 10) % (HIGHEST - LOWEST));

/** The first of so many free loopback ports in a row, no two answers alike. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    if (next + count > HIGHEST) next = LOWEST;
    const first = next;
    next += count;
    const ports = Array.from({ length: count }, (_, place) => first + place);
    if ((await Promise.all(ports.map(isPortFree))).every(Boolean)) return first;
  }
}
