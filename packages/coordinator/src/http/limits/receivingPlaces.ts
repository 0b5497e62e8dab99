import type { Time } from '@payouts/client';
import { AdmissionQueue } from './admissionQueue.ts';

/** Uploads of one client that are received at a time: slow ones of one client keep nobody else waiting. */
const OF_A_CLIENT = 2;
/** Uploads of all clients that are received at a time: what has arrived of each is in memory. */
const OF_ALL = 64;

/** Places in which uploads are received; apart from those in which they are worked on. */
export class ReceivingPlaces {
  readonly #all: AdmissionQueue;
  readonly #clients = new Map<string, AdmissionQueue>();

  constructor(private readonly time: Pick<Time, 'after'>) {
    this.#all = new AdmissionQueue(OF_ALL, time);
  }

  /** Takes a place for a client within so many milliseconds and returns what gives it back; undefined: there was none. */
  async wait(client: string, milliseconds: number): Promise<(() => void) | undefined> {
    const own = this.#clients.get(client) ?? new AdmissionQueue(OF_A_CLIENT, this.time);
    this.#clients.set(client, own);
    const leaveOwn = await own.wait(milliseconds);
    const leaveAll = leaveOwn && (await this.#all.wait(milliseconds));
    const leave = () => {
      leaveAll?.();
      leaveOwn?.();
      if (own.isIdle && this.#clients.get(client) === own) this.#clients.delete(client);
    };
    if (leaveAll !== undefined) return leave;
    leave();
    return undefined;
  }
}
