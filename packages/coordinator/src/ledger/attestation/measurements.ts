import { AttestationError } from '../../domain/attestationErrors.ts';

/**
 * What a TDX machine was measured to be, 48 bytes each, hexadecimal: its first memory (`mrTd`), firmware, kernel and what was started (`rtMr0` to
 * `rtMr3`), the module that keeps machines apart (`mrSeam`), and what its owner set (`mrConfigId`).
 */
export const MEASUREMENTS = ['mrTd', 'rtMr0', 'rtMr1', 'rtMr2', 'rtMr3', 'mrSeam', 'mrConfigId'] as const;
export type Measurements = Readonly<Record<(typeof MEASUREMENTS)[number], string>>;

/** What a machine must say of: pinned, or left open on purpose. Without one of them, another kernel or file system could run there. */
const NEEDED = ['mrTd', 'rtMr0', 'rtMr1', 'rtMr2', 'rtMr3'] as const;
const OPEN = 'unpinned';

/** Machines that are trusted: each pins some measurements. */
export type Pinned = readonly Partial<Measurements>[];

const FORM = /^[0-9a-f]{96}$/;

/** Reads pinned measurements: JSON, one object or several. Throws an error that says what is wrong and where. */
export function parsePinned(text: string): Pinned {
  const parsed: unknown = JSON.parse(text);
  const machines = Array.isArray(parsed) ? parsed : [parsed];
  if (machines.length === 0) throw new Error('no machine is pinned');
  return machines.map((machine: unknown, place) => {
    const entries = Object.entries((machine ?? {}) as Record<string, unknown>);
    for (const [name, value] of entries) {
      if (!(MEASUREMENTS as readonly string[]).includes(name)) {
        throw new Error(`machine ${place} has "${name}", which is none of ${MEASUREMENTS.join(', ')}`);
      }
      if (value === OPEN && name !== 'mrTd') continue;
      if (typeof value !== 'string' || !FORM.test(value)) {
        throw new Error(`"${name}" of machine ${place} is not 96 digits 0-9 and a-f`);
      }
    }
    const missing = NEEDED.find((needed) => !entries.some(([name]) => name === needed));
    if (missing === 'mrTd') throw new Error(`machine ${place} does not pin "mrTd"`);
    if (missing !== undefined) {
      throw new Error(
        `machine ${place} says nothing of "${missing}": pin it, or write "${OPEN}" if anything may run there`,
      );
    }
    return Object.fromEntries(entries.filter(([, value]) => value !== OPEN)) as Partial<Measurements>;
  });
}

/**
 * Checks that a machine is one of those that are pinned.
 *
 * @throws AttestationError `measurement-unknown`, with what differs from the pinned machine that differs least
 */
export function checkMeasurements(measured: Measurements, pinned: Pinned): void {
  const differing = pinned.map((machine) =>
    MEASUREMENTS.filter((name) => machine[name] !== undefined && machine[name] !== measured[name]),
  );
  const least = differing.reduce((a, b) => (b.length < a.length ? b : a));
  if (least.length === 0) return;
  const found = least.map((name) => `${name} is ${measured[name]}`).join(', ');
  throw new AttestationError('measurement-unknown', `Something else runs there than what is pinned: ${found}.`);
}
