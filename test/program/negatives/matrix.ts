import { CONFIG } from '@payouts/testing/litesvm/handles';
import { NotDelegated } from '@payouts/testing/litesvm/layer';
import type { State } from '@payouts/testing/litesvm/ledger';
import { must } from '@payouts/testing/litesvm/world';
import type { AccountMeta, AccountRole, Address, Instruction } from '@solana/kit';
import { fixtures, type NamedFixture } from '../fixtures/all.ts';
import { type Scene, send } from '../harness/fixture.ts';
import { EXEMPTIONS, RIGHT_CALLS } from './exemptions.ts';
import { hasPages, placePages, whitelistAll } from './fillIn.ts';
import { KINDS, type Kind, type Reason, type Subject, type Wrong } from './kinds.ts';
import { accountNames } from './names.ts';

/** What became of one kind of negative for one account. */
export interface Cell {
  readonly reason?: Reason;
  readonly refused: number;
  /** What was accepted, or changed something although it was refused. */
  readonly accepted: readonly string[];
}

/** One account of one instruction. */
export interface Row {
  readonly instruction: string;
  readonly account: string;
  readonly cells: readonly Cell[];
}

/** Makes every account of every instruction wrong in every way that applies. */
export function negatives(only?: string): Row[] {
  return fixtures.filter(({ name }) => only === undefined || name === only).flatMap((fixture) => rowsOf(fixture));
}

/** A call that reads pages is tried without them, and again where they are. */
function rowsOf(fixture: NamedFixture): Row[] {
  const rows = rowsOfTrial(new Trial(fixture, false));
  return hasPages(fixture.name) ? [...rows, ...rowsOfTrial(new Trial(fixture, true))] : rows;
}

function rowsOfTrial(trial: Trial): Row[] {
  const { instruction } = trial;
  const names = trial.accounts.map(({ name }) => name);
  const rows = trial.accounts.map(({ name, address, role }, place): Row => {
    const subject: Subject = { instruction, names, place, address, role, state: trial.state(address) };
    const cells = KINDS.map((kind) => trial.cell(`${trial.name}.${name}`, kind, subject));
    return { instruction: trial.name, account: name, cells };
  });
  trial.sendRight();
  return rows;
}

/** An account of the right call. */
interface Named {
  readonly name: string;
  readonly address: Address;
  readonly role: AccountRole;
}

/** One prepared world, in which wrong calls are tried one after the other. */
class Trial {
  readonly instruction: Instruction;
  readonly accounts: readonly Named[];
  readonly name: string;
  readonly #fixture: NamedFixture;
  readonly #withPages: boolean;
  #scene: Scene;

  constructor(fixture: NamedFixture, withPages: boolean) {
    const { scene, instruction } = fixture.prepare();
    const names = accountNames(instruction);
    this.name = withPages ? `${fixture.name}, pages there` : fixture.name;
    this.#fixture = fixture;
    this.#withPages = withPages;
    this.#scene = scene;
    this.instruction = instruction;
    this.accounts = ((instruction.accounts ?? []) as readonly AccountMeta[]).map(({ address, role }, place) => ({
      name: names[place] ?? '',
      address,
      role,
    }));
    this.#fillIn();
  }

  /** The call itself was right all the time. */
  sendRight(): void {
    must(send(this.#fixture, this.#scene, this.instruction));
  }

  cell(name: string, kind: Kind, subject: Subject): Cell {
    const any = `*.${name.split('.')[1]?.replace(/ \d+$/, '')}`;
    const exemption = EXEMPTIONS[`${name} ${kind.name}`] ?? EXEMPTIONS[`${any} ${kind.name}`];
    const wrong = exemption ?? kind.wrong(subject);
    if (typeof wrong === 'string') return { reason: wrong, refused: 0, accepted: [] };
    const tried = wrong.filter(
      ({ label }) => !RIGHT_CALLS.has(`${name} ${label}`) && !RIGHT_CALLS.has(`${any} ${label}`),
    );
    const accepted = tried.flatMap((each) => this.#try(each, subject) ?? []);
    return { refused: tried.length - accepted.length, accepted };
  }

  /** The account on the ledger where this instruction would find it. */
  state(address: Address): State | undefined {
    const { base, layer } = this.#scene.world;
    return this.#fixture.place === 'layer' ? layer.account(address) : base.account(address);
  }

  /** undefined: refused, and nothing has changed. */
  #try({ instruction, placed }: Wrong, subject: Subject): string | undefined {
    const { base, layer } = this.#scene.world;
    const own = this.#fixture.place === 'layer' && layer.keeps(subject.address);
    const put = (state: State) => (own ? layer.place(state) : base.set(state));
    const originals = placed.map(({ address }) => [address, this.state(address)] as const);
    placed.forEach(put);
    const before = this.#fingerprint();
    const complaint = this.#complaintAbout(instruction, before);
    if (complaint !== undefined) {
      // What was accepted has changed the world: the next wrong call needs the old one. Addresses are the same in every world.
      this.#scene = this.#fixture.prepare().scene;
      this.#fillIn();
      return complaint;
    }
    for (const [address, state] of originals) {
      if (state !== undefined) put(state);
      else if (own) layer.forget(address);
      else base.remove(address);
    }
    return undefined;
  }

  #fillIn(): void {
    whitelistAll(this.#scene, this.accounts);
    if (this.#withPages) placePages(this.#scene, this.accounts);
  }

  #complaintAbout(instruction: Instruction, before: string): string | undefined {
    try {
      const outcome = send(this.#fixture, this.#scene, instruction);
      if (outcome.succeeded) {
        return `accepted: ${(instruction.accounts ?? []).map(({ address, role }) => `${address} ${role}`).join(', ')}`;
      }
    } catch (error) {
      // The layer itself refuses to write what is not delegated to it.
      if (!(error instanceof NotDelegated)) throw error;
    }
    return this.#fingerprint() === before ? undefined : 'refused, but something has changed';
  }

  #fingerprint(): string {
    return [...this.accounts.map(({ address }) => address), CONFIG]
      .map((address) => this.state(address))
      .map((state) => (state === undefined ? '' : `${state.owner}${state.lamports}${digest(state.data)}`))
      .join();
  }
}

const digest = (data: Uint8Array) => Buffer.from(data).toString('latin1');
