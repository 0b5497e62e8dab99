import { DELEGATION_PROGRAM_ADDRESS, decodeEvents } from '@payouts/client';
import { signer } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { addressesOfDelegation, delegationAccounts } from '@payouts/testing/litesvm/delegation';
import { balancePageOf, bitmapPageOf } from '@payouts/testing/litesvm/handles';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must, type World } from '@payouts/testing/litesvm/world';
import { type Address, getAddressDecoder } from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { fixtures } from '../fixtures/all.ts';
import * as build from '../fixtures/build.ts';
import { commit, holderIn, openBitmap, openPages, openPersonal } from '../fixtures/index.ts';
import { done, type Prepared, send } from '../harness/fixture.ts';

/** Something that creates accounts on the base ledger. */
export interface Creator {
  readonly name: string;
  prepare(): { readonly world: World; readonly accounts: readonly Address[]; run(): Outcome };
}

/** What somebody has put where an account is to be created. */
interface Ahead {
  readonly what: string;
  put(world: World): void;
}

/** One address with something ahead; `failure`: what it has stopped or changed. */
export interface AheadTrial {
  readonly name: string;
  readonly address: Address;
  readonly what: string;
  readonly failure: string | undefined;
}

/** The least that an address can hold, and more than any account's rent. */
const LAMPORTS = [890_880n, 1_000_000_000n];

/** Every instruction of the base ledger, and the return of a batch, which the delegation program and the ledger program make together. */
export const creators: readonly Creator[] = [
  ...fixtures
    .filter(({ place }) => place === 'base')
    .map((fixture) => ({
      name: fixture.name,
      prepare() {
        const { scene, instruction }: Prepared = fixture.prepare();
        const accounts = (instruction.accounts ?? []).map(({ address }) => address);
        return { world: scene.world, accounts, run: () => send(fixture, scene, instruction) };
      },
    })),
  {
    name: 'return of a batch',
    prepare() {
      const { world, schedule } = done(commit);
      return { world, accounts: [schedule.batch], run: () => world.bringBack(schedule.batch) };
    },
  },
];

/**
 * Sends lamports ahead to every address at which a creator, or the delegation program for it, creates an account, and lets strangers
 * create what they can: it must come to the same.
 */
export function aheadOf(creator: Creator): AheadTrial[] {
  const { world, accounts, run } = creator.prepare();
  const missing = accounts.filter((address) => world.base.account(address) === undefined);
  const isDelegated = (address: Address) => world.base.account(address)?.owner === DELEGATION_PROGRAM_ADDRESS;
  const away = accounts.filter(isDelegated);
  const events = eventsOf(must(run()));
  const after = accounts.map((address) => world.base.account(address));
  const delegated = [...new Set([...away, ...accounts.filter(isDelegated)])].filter(
    (address) =>
      away.includes(address) || world.base.account(delegationAccounts(address).delegationRecord) !== undefined,
  );
  const targets = new Set([...missing, ...delegated.flatMap(addressesOfDelegation), ...away]);
  const expected = textOf(after);

  const trial = (address: Address, ahead: Ahead): AheadTrial => {
    const again = creator.prepare();
    ahead.put(again.world);
    const outcome = again.run();
    const states = again.accounts.map((account) => again.world.base.account(account));
    const isSame = outcome.succeeded && textOf(states) === expected && eventsOf(outcome) === events;
    const failure = outcome.succeeded ? (isSame ? undefined : 'it came to something else') : outcome.failure;
    return { name: creator.name, address, what: ahead.what, failure };
  };
  return [...targets].flatMap((address) =>
    aheadAt(address, world.base.account(address)).map((one) => trial(address, one)),
  );
}

/** Something that creates accounts of the layer, and what is done instead where somebody has sent lamports to one of their addresses. */
export interface LayerCreator {
  readonly name: string;
  prepare(): { readonly world: World; readonly accounts: readonly Address[]; run(): Outcome; instead(): Outcome };
}

export const layerCreators: readonly LayerCreator[] = [
  {
    name: 'openBitmap',
    prepare() {
      const { scene, instruction } = openBitmap.prepare();
      const { world, schedule } = scene;
      const other = build.openBitmapPages(world, schedule, [bitmapPageOf(schedule, 0n, 0, 1)]);
      const run = () => world.sendToLayer(instruction);
      const accounts = [bitmapPageOf(schedule, 0n, 0).address];
      return { world, accounts, run, instead: () => world.sendToLayer(other) };
    },
  },
  {
    name: 'openPages',
    prepare() {
      const { scene, instruction } = openPages.prepare();
      const { world, schedule, token } = scene;
      const other = build.openPages(world, schedule, [balancePageOf(token, 1)]);
      const run = () => world.sendToLayer(instruction);
      return { world, accounts: [holderIn(scene).page.address], run, instead: () => world.sendToLayer(other) };
    },
  },
  {
    name: 'openPersonal',
    prepare() {
      const { scene, instruction } = openPersonal.prepare();
      const { world } = scene;
      const holder = holderIn(scene);
      const other = build.openPersonal(world, holder, { isPrivate: true, made: 1 });
      const accounts = [holder.personal, permissionOf(holder.personal)];
      const run = () => world.sendToLayer(instruction);
      return { world, accounts, run, instead: () => world.sendToLayer(other) };
    },
  },
];

/** Sends lamports ahead to every address at which a creator creates an account of the layer: it must be refused there, and done elsewhere. */
export function aheadInLayer(creator: LayerCreator): AheadTrial[] {
  return creator.prepare().accounts.flatMap((address) =>
    LAMPORTS.map((lamports) => {
      const { world, run, instead } = creator.prepare();
      world.base.fund(address, lamports);
      const failure = run().succeeded ? 'the account was made all the same' : instead().failure;
      return { name: creator.name, address, what: `${lamports} lamports`, failure };
    }),
  );
}

function aheadAt(address: Address, created: State | undefined): Ahead[] {
  const gifts = LAMPORTS.map(
    (lamports): Ahead => ({
      what: `${lamports} lamports`,
      put: ({ base }) => give(base, address, lamports),
    }),
  );
  const isToken = created?.owner === TOKEN_PROGRAM || created?.owner === TOKEN_2022_PROGRAM;
  return isToken ? [...gifts, { what: 'the account itself', put: (world) => openTokenAccount(world, created) }] : gifts;
}

function give(base: World['base'], address: Address, lamports: bigint): void {
  const empty = { address, lamports: 0n, data: new Uint8Array(), owner: SYSTEM_PROGRAM, executable: false };
  const state = base.account(address) ?? empty;
  base.set({ ...state, lamports: state.lamports + lamports });
}

/** Anybody may create anybody's associated token account. */
function openTokenAccount({ base, stranger }: World, { address: ata, owner: tokenProgram, data }: State): void {
  const [mint, owner] = [data.slice(0, 32), data.slice(32, 64)].map((bytes) => getAddressDecoder().decode(bytes)) as [
    Address,
    Address,
  ];
  must(
    base.send(
      getCreateAssociatedTokenIdempotentInstruction({ payer: signer(stranger), ata, owner, mint, tokenProgram }),
    ),
  );
}

const RECORD_BYTES = 96;
/** Where a delegation record keeps the account's lamports. */
const RECORD_LAMPORTS = 80;

/** Owners and bytes: lamports are what the trial changes. */
function textOf(states: readonly (State | undefined)[]): string {
  return states
    .map((state) => {
      if (state === undefined || state.data.length === 0) return '';
      const data = state.data.slice();
      if (state.owner === DELEGATION_PROGRAM_ADDRESS && data.length === RECORD_BYTES)
        data.fill(0, RECORD_LAMPORTS, RECORD_LAMPORTS + 8);
      return `${state.owner}${Buffer.from(data).toString('latin1')}`;
    })
    .join();
}

const eventsOf = ({ logs }: Outcome): string =>
  JSON.stringify(decodeEvents(logs), (_, value) => (typeof value === 'bigint' ? `${value}` : value));
