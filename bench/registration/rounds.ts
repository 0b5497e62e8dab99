import { randomBytes } from 'node:crypto';
import { addressFromBytes, type RecipientList, recipientsToJson } from '@payouts/client';
import type { Employer, World } from '@payouts/testing/world';
import { type Measured, registerMeasured, untilIdle } from './server.ts';

const LATER_SECONDS = 7 * 86_400;

const proofOf = ({ tree }: RecipientList, index: number) =>
  tree.proof(index).map((hash) => Buffer.from(hash).toString('hex'));

function bodyOf({ schedule, list }: Employer, withProofs: boolean): Buffer {
  const entries = recipientsToJson(list.recipients);
  const body = withProofs ? entries.map((entry) => ({ ...entry, proof: proofOf(list, entry.index) })) : entries;
  return Buffer.from(JSON.stringify({ schedulePda: schedule, recipients: body }));
}

const payees = (count: number) =>
  Array.from({ length: count }, (_, line) => ({
    recipient: addressFromBytes(randomBytes(32)),
    amount: 1_000_000_007n + BigInt(line),
  }));

/** A registration's body, and what it took. */
export type Registered = Measured & { readonly body: Buffer };

type Terms = { readonly executions: number; readonly firstExecution: bigint };

/** Registers fresh lists of one employer, whose windows are not due for a week, one after the other. */
export class Registrations {
  readonly #world: World;
  readonly #recipients: number;
  readonly #employer: Employer;
  readonly #terms: Terms;
  #nextId = 1n;

  private constructor(world: World, recipients: number, employer: Employer, terms: Terms) {
    this.#world = world;
    this.#recipients = recipients;
    this.#employer = employer;
    this.#terms = terms;
  }

  static async of(world: World, recipients: number): Promise<Registrations> {
    const terms = { executions: 1, firstExecution: BigInt(Math.floor(Date.now() / 1_000) + LATER_SECONDS) };
    return new Registrations(world, recipients, await world.employer(payees(1), terms), terms);
  }

  /** Registers one more, with a proof for every entry or without, when the service has nothing else to do. */
  async registerOne(withProofs = false): Promise<Registered> {
    const terms = { ...this.#terms, id: this.#nextId++ };
    const employer = await this.#world.promise(this.#employer, payees(this.#recipients), terms);
    const body = bodyOf(employer, withProofs);
    await untilIdle(this.#world.coordinatorPid);
    return { body, ...(await registerMeasured(this.#world.apiUrl, this.#world.coordinatorPid, body)) };
  }
}
