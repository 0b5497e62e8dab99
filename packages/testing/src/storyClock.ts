import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { clockAheadAsIn } from './clockAhead.ts';
import type { World } from './world.ts';

/**
 * One clock for a world's base ledger, its coordinator, its commands and its pages, turned to the days of a story: what they show of a
 * moment is the same, and the same whenever it is told.
 */
export class StoryClock {
  readonly #file: string;
  readonly #pages: Page[] = [];

  private constructor(private readonly world: World) {
    this.#file = join(world.folder, 'ahead');
  }

  static async start(world: World, moment: Date): Promise<StoryClock> {
    const clock = new StoryClock(world);
    await clock.turn(moment);
    return clock;
  }

  /** What processes get to go by it. */
  get env(): Record<string, string> {
    return { NODE_OPTIONS: clockAheadAsIn(this.#file) };
  }

  /** Has a page go by it that is about to load. */
  async give(page: Page): Promise<void> {
    this.#pages.push(page);
    await page.clock.setSystemTime(Date.now() + this.#ahead);
  }

  #ahead = 0;

  /** Turns it to a moment, from which it goes on; the ledger's last, so that nothing is due before it is time. */
  async turn(moment: Date): Promise<void> {
    await this.#tell(moment);
    await this.world.localnet.admin.warpClock(Math.floor(moment.getTime() / 1_000));
  }

  /** Has all but the ledger go by this machine's clock again. */
  turnBack(): Promise<void> {
    return this.#tell(new Date());
  }

  async #tell(moment: Date): Promise<void> {
    this.#ahead = moment.getTime() - Date.now();
    writeFileSync(`${this.#file}.new`, String(this.#ahead));
    renameSync(`${this.#file}.new`, this.#file);
    for (const page of this.#pages.filter((each) => !each.isClosed())) await page.clock.setSystemTime(moment);
  }
}
