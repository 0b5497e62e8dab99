import { BatchPhase, dueAt } from '@payouts/client';
import { bytesOf, signer } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import type { BaseAction } from '@payouts/testing/litesvm/delegation';
import { balancePageOf, bitmapPageOf, CONFIG, holderOf, vaultOf } from '@payouts/testing/litesvm/handles';
import { NotDelegated } from '@payouts/testing/litesvm/layer';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  LEDGER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '@payouts/testing/litesvm/programs';
import { must, World } from '@payouts/testing/litesvm/world';
import type { Random } from '@payouts/testing/random';
import { type AccountMeta, AccountRole, type Address } from '@solana/kit';
import { getTransferInstruction } from '@solana-program/token';
import * as build from '../fixtures/build.ts';
import { actionOf, batchSeeds, callbackData } from '../fixtures/delegationProgram.ts';
import { readSchedule } from '../harness/read.ts';
import { provenIn } from '../harness/withdrawals.ts';
import { INSTRUCTIONS } from '../negatives/names.ts';
import { APPROVERS, ATTACKERS, type Cast, EMPLOYERS, KEYS, RECIPIENTS, WALLETS } from './cast.ts';
import { checkAll, checkTouched } from './check.ts';
import { Done } from './effects/effect.ts';
import { effects } from './effects/index.ts';
import { lieAbout } from './lies.ts';
import { Model, rule, type TokenModel } from './model.ts';
import { approvalMoves } from './moves/approval.ts';
import { employerExits, employerMoves } from './moves/employer.ts';
import {
  declareByWindow,
  declareLoss,
  FUZZ_LIMITS,
  governanceMoves,
  liftSuspension,
  mendConfig,
  returnAuthority,
  revokeLoss,
} from './moves/governance.ts';
import { layerAccountMoves } from './moves/layerAccounts.ts';
import { reclaimCall, redeemCall, wayOutMoves } from './moves/lossRecovery.ts';
import { base, type Call, type Move, type Situation } from './moves/move.ts';
import { recoveryMoves } from './moves/recovery.ts';
import { windowMoves } from './moves/window.ts';
import { withdrawalMoves } from './moves/withdrawal.ts';
import { mutate, type Strangers } from './mutate.ts';

const PAY_OUT = 17;
const CALLBACK = 196;
/** From here on the base's instructions again. */
const FIRST_APPROVAL = 41;
const CANCEL_WITHDRAWAL = 66;
const LAST_OF_LAYER = 81;

/** Whether the execution layer executes what has this number. */
const isOfLayer = (number: number): boolean =>
  (number >= 32 && number < FIRST_APPROVAL) || (number >= CANCEL_WITHDRAWAL && number <= LAST_OF_LAYER);
const BATCH_KIND = 6;
/** In the batch's bytes. */
const PHASE = 3;
/** In a page's bytes. */
const [AMOUNTS_AT, SLOT_BYTES] = [536 + 32, 40];
/** How often a batch comes back that nobody has committed. */
const UNASKED = 0.05;
const WEALTH = 50_000_000n;
const POCKET_MONEY = 100_000n;
const REPLAYS = 60;
const OLD_ACTIONS = 40;
const FULL_CHECK = 1_000;
const REFRESH = 64;

const nameOf = (number = -1) => INSTRUCTIONS.get(number) ?? 'unknown';

type Weighted<T> = readonly (readonly [number, T])[];
/** Who is told what was tried. */
export type Report = (name: string, outcome: Outcome | 'refused by the layer' | 'done', remark: string) => void;

const LIVING: Weighted<Move> = [
  ...governanceMoves,
  ...employerMoves,
  ...approvalMoves,
  ...windowMoves,
  ...layerAccountMoves,
  ...withdrawalMoves,
  ...recoveryMoves,
  // Too early as yet.
  ...wayOutMoves.map(([, move]) => [1, move] as const),
];
const LOST: Weighted<Move> = [
  ...wayOutMoves.map(([weight, move]) => [weight * 6, move] as const),
  ...employerExits,
  ...LIVING,
];

/** One world from its creation to the division of its pools after the loss of its layer. */
export class Epoch {
  readonly world = new World();
  readonly model: Model;
  readonly #situation: Situation;
  readonly #random: Random;
  readonly #report: Report;
  readonly #sent: Call[] = [];
  #strangers: Strangers = { wallets: [], accounts: [] };
  #steps = 0;
  #refreshAt = 0;
  #checkAt = FULL_CHECK;

  constructor(random: Random, lies: boolean, report: Report) {
    const { world } = this;
    this.#random = random;
    this.#report = (name, outcome, remark) => {
      if (typeof outcome !== 'string') this.#steps += 1;
      report(name, outcome, remark);
    };
    this.model = new Model(world.governance, world.guardian, world.authority);
    const tokens = [world.createToken('classic'), world.createToken('2022', TOKEN_2022_PROGRAM)];
    const cast: Cast = {
      tokens,
      vaults: EMPLOYERS.flatMap((employer) => tokens.map((token) => vaultOf(employer, token))),
      holders: RECIPIENTS.flatMap((recipient) => tokens.map((token) => holderOf(recipient, token))),
    };
    this.#situation = { world, model: this.model, cast, random, lies, oldActions: [] };
    this.#populate(cast);
  }

  /** Instructions sent to either ledger. */
  get steps(): number {
    return this.#steps;
  }

  /** One step of an epoch whose layer lives. */
  live(): void {
    const { lies } = this.#situation;
    if (this.model.spoiled) {
      this.#step(() => this.#send(mendConfig(this.#situation), ''));
      return;
    }
    if (this.model.authority !== this.#situation.world.authority) {
      for (const call of returnAuthority(this.#situation)) this.#step(() => this.#send(call, ''));
      return;
    }
    if (this.model.suspendedUntil > this.#situation.world.now && this.#random.chance(0.1)) {
      this.#step(() => this.#send(liftSuspension(this.#situation), ''));
      return;
    }
    this.#step(
      this.#random.weighted<() => void>([
        [200, () => this.#call(LIVING)],
        [10, () => this.#passTime()],
        [26, () => this.#return()],
        [20, () => this.#act()],
        [12, () => this.#replay()],
        [2, () => this.#give()],
        [1, () => this.#sendAhead()],
        [3, () => this.#forgeCallback()],
        [lies ? 6 : 0, () => this.#lie()],
      ]),
    );
  }

  /** Declares the loss, now and then after the layer has really lost its state, and lets the grace time pass. */
  lose(): void {
    if (this.#random.chance(0.5)) this.#step(() => this.#resetLayer());
    for (let tries = this.#random.below(40); tries > 0; tries -= 1) this.live();
    if (this.model.lossDeclaredAt === 0n && this.#random.chance(0.75)) this.#declareAlone();
    if (this.model.lossDeclaredAt === 0n) this.#step(() => this.#send(declareLoss(this.#situation), ''));
    if (this.#random.chance(0.75)) this.#step(() => this.#send(revokeLoss(this.#situation), ''));
    for (let tries = this.#random.below(40); tries > 0; tries -= 1) this.live();
    if (this.model.lossDeclaredAt === 0n) this.#step(() => this.#send(declareLoss(this.#situation), ''));
    this.#step(() => this.#setTime(this.model.lossDeclaredAt + this.model.lossGrace));
  }

  /** One key does, once a window has been away for long enough. */
  #declareAlone(): void {
    this.#step(() => this.#setTime(this.world.now + 31n * 86_400n));
    this.#step(() => this.#send(declareByWindow(this.#situation), ''));
  }

  /** One step after the loss. */
  afterwards(): void {
    this.#step(
      this.#random.weighted<() => void>([
        [40, () => this.#call(LOST)],
        [3, () => this.#passTime()],
        [2, () => this.#return()],
        [3, () => this.#act()],
        [3, () => this.#replay()],
      ]),
    );
  }

  /** Everybody takes what the recorded trees give them; if nobody lied, nothing is left over. */
  divide(): void {
    const { model } = this;
    for (const token of model.tokens.values()) {
      for (let index = 0; index < (token.recorded?.balances.length ?? 0); index += 1) {
        if (!token.redeemed.has(index)) this.#step(() => this.#send(redeemCall(this.#situation, token, index), ''));
      }
    }
    for (const schedule of model.schedules.values()) {
      if (schedule.open !== undefined) this.#step(() => this.#send(reclaimCall(schedule), ''));
    }
    checkAll(this.world, model);
    for (const token of model.tokens.values()) {
      const left = model.held(token);
      rule(left === 0n || token.lied, () => `${left} of a pool belong to nobody after everybody has redeemed`);
    }
  }

  #populate(cast: Cast): void {
    const { world, model } = this;
    for (const address of [...EMPLOYERS, ...RECIPIENTS, ...ATTACKERS, ...KEYS, ...APPROVERS]) world.base.fund(address);
    this.#first(base(build.initConfig(world, { limits: FUZZ_LIMITS })));
    for (const token of cast.tokens) {
      this.#first(base(build.initPool(world, token)));
      this.#first(base(build.initCounter(world, token)));
      const known = model.tokens.get(token.mint) as TokenModel;
      for (const owner of [...EMPLOYERS, ...RECIPIENTS, ...ATTACKERS]) {
        const amount = EMPLOYERS.includes(owner) ? WEALTH : POCKET_MONEY;
        model.purses.set(world.mintTo(owner, token, amount), { owner, token: known, amount });
        known.supply += amount;
      }
    }
    for (const vault of cast.vaults.slice(0, 4)) {
      const token = model.tokens.get(vault.token.mint) as TokenModel;
      world.openTokenAccount(vault.address, vault.token);
      model.purses.set(vault.tokenAccount, { owner: vault.address, token, amount: 0n });
      this.#first(base(build.initVault(world, vault)));
      this.#first(base(build.deposit(vault, 500_000n)));
    }
  }

  /** A call that begins the world and can't fail. */
  #first(call: Call): void {
    this.#step(() => must(this.#execute(call, '') as Outcome));
  }

  #step(step: () => void): void {
    if (this.#steps >= this.#refreshAt) {
      this.#strangers = this.#findStrangers();
      this.#refreshAt += REFRESH;
    }
    step();
    if (this.#steps < this.#checkAt) return;
    checkAll(this.world, this.model);
    this.#checkAt += FULL_CHECK;
  }

  #call(moves: Weighted<Move>): void {
    const random = this.#random;
    for (let tries = 0; tries < 8; tries += 1) {
      const call = random.weighted(moves)(this.#situation);
      if (call === undefined || (call.place === 'layer' && this.model.lost)) continue;
      if (random.chance(0.78)) this.#send(call, '');
      else if (call.place === 'layer' && random.chance(0.1)) this.#send({ ...call, place: 'base' }, 'on the base');
      else this.#send({ ...call, instruction: mutate(call.instruction, random, this.#strangers) }, 'made wrong');
      return;
    }
  }

  #send(call: Call | undefined, remark: string): void {
    if (call === undefined) return;
    const outcome = this.#execute(call, remark);
    if (outcome === undefined || !outcome.succeeded) return;
    this.#sent.push(call);
    if (this.#sent.length > REPLAYS) this.#sent.shift();
  }

  /** Sends a call; if it succeeds, the model follows and is compared. */
  #execute(call: Call, remark: string): Outcome | undefined {
    const { place, instruction, authorisation } = call;
    const name = nameOf(instruction.data?.[0]);
    const before = authorisation === undefined ? [] : [authorisation];
    let outcome: Outcome;
    try {
      outcome =
        place === 'base'
          ? this.world.base.send(...before, instruction)
          : this.world.sendToLayer(...before, instruction);
    } catch (error) {
      if (!(error instanceof NotDelegated)) throw error;
      this.#report(name, 'refused by the layer', remark);
      return undefined;
    }
    this.#report(name, outcome, remark);
    if (outcome.succeeded) this.#follow(call, outcome);
    else if (name === 'claimPayment' && remark === '') {
      rule(outcome.failure !== 'Overflow', 'an entry that could not be paid kept the others from being paid');
    }
    return outcome;
  }

  #follow(call: Call, outcome: Outcome): void {
    const { place, instruction } = call;
    const number = instruction.data?.[0] ?? -1;
    const effect = effects[number];
    rule(effect !== undefined, `the unknown instruction ${number} succeeded`);
    rule(place === (isOfLayer(number) ? 'layer' : 'base'), `${nameOf(number)} succeeded on the wrong ledger`);
    const done = new Done(this.model, this.world, call, outcome);
    effect(done);
    checkTouched(this.world, this.model, done.accounts);
  }

  #passTime(): void {
    const { world } = this;
    const due = [...this.model.schedules.values()]
      .filter(({ status, open }) => status === 'active' && open === undefined)
      .map(({ schedule }) => dueAt(readSchedule(world, schedule)));
    const [next] = due.sort((one, other) => Number(one - other));
    const recoveries = [...this.model.balances.personals.values()].flatMap(
      ({ recovery }) => recovery?.completesAt ?? [],
    );
    const recovered = recoveries.find((at) => at > world.now);
    if (next !== undefined && next > world.now && this.#random.chance(0.5)) this.#setTime(next);
    else if (recovered !== undefined && this.#random.chance(0.02)) this.#setTime(recovered);
    // Now and then so long that what keys propose to each other is due.
    else if (this.#random.chance(0.03)) this.#setTime(world.now + 30n * 86_400n);
    else this.#setTime(world.now + BigInt(this.#random.below(this.#random.chance(0.7) ? 60 : 2_000)));
  }

  #setTime(seconds: bigint): void {
    const { model } = this;
    if (seconds > this.world.now) this.world.setTime(seconds);
    if (model.lossDeclaredAt !== 0n && this.world.now >= model.lossDeclaredAt + model.lossGrace) model.lost = true;
    this.#report('time', 'done', String(this.world.now));
  }

  /** The validator brings a batch back: as the layer has it, or with a lie. */
  #return(): void {
    const { world, model } = this;
    if (this.#random.chance(UNASKED)) this.#returnUnasked();
    if (world.returning.size === 0) return;
    const batch = this.#random.pick([...world.returning]);
    const lies = this.#situation.lies && this.#random.chance(0.2);
    this.#bringBack(batch, lies ? lieAbout(world.layer.data(batch), this.#random) : undefined);
    checkTouched(world, model, [batch]);
  }

  /** The layer lets go of a batch that nobody has committed. */
  #returnUnasked(): void {
    const away = [...this.model.byBatch].filter(([, { open }]) => open?.place === 'layer');
    if (away.length === 0) return;
    const [batch] = this.#random.pick(away);
    this.#bringBack(batch, undefined);
    checkTouched(this.world, this.model, [batch]);
  }

  #bringBack(batch: Address, lie: Uint8Array | undefined): void {
    const outcome = this.world.bringBack(batch, lie);
    this.#report(nameOf(CALLBACK), outcome, lie === undefined ? '' : 'with a lie');
    const schedule = this.model.byBatch.get(batch);
    const window = schedule?.open;
    if (!outcome.succeeded) {
      rule(lie !== undefined, () => `an honest batch did not come back: ${outcome.failure}`);
      return;
    }
    if (window === undefined) {
      rule(this.model.lost, 'a batch came back that had no window');
      return;
    }
    window.place = 'base';
    if (lie !== undefined) window.lied = true;
    const data = this.world.base.data(batch);
    window.isClosed = data[PHASE] === BatchPhase.Closed;
    // The delegation program calls nobody back for an account without bytes. Nothing can be settled from one, as if it stayed away.
    if (lie !== undefined && data.length === 0) return;
    const isOwn = Buffer.from(data.subarray(8, 40)).equals(bytesOf(schedule?.schedule.address as Address));
    rule(data[0] === BATCH_KIND && data[1] === 1 && isOwn, 'something else came back than a batch of its schedule');
  }

  /** A validator executes a base action: a scheduled one, an old one, or one that is not right. */
  #act(): void {
    const { world } = this;
    const { oldActions } = this.#situation;
    const random = this.#random;
    const isOld = world.actions.length === 0 || random.chance(0.15);
    const actions = isOld ? oldActions : world.actions;
    if (actions.length === 0) return;
    const action = random.pick(actions);
    const isOurs = random.chance(0.9);
    if (!isOurs) this.#perform(action, world.otherValidator, 'by another validator');
    else if (this.#situation.lies && random.chance(0.2)) {
      this.#perform(this.#liedAction(action), world.validator, 'with a lie');
    } else this.#perform(action, world.validator, isOld ? 'again' : '');
    if (isOld || !isOurs) return;
    world.actions.splice(world.actions.indexOf(action), 1);
    oldActions.push(action);
    if (oldActions.length > OLD_ACTIONS) oldActions.shift();
  }

  #perform(action: BaseAction, validator: Address, remark: string): void {
    const { world, model } = this;
    const outcome = world.act(action, validator);
    this.#report(nameOf(PAY_OUT), outcome, remark);
    if (!outcome.succeeded) return;
    rule(validator === world.validator, 'a validator paid that is not ours');
    rule(action.data[0] === PAY_OUT, 'the escrow signed for something else than a payment');
    const { accounts, data } = action;
    const instruction = { programAddress: LEDGER_PROGRAM, accounts, data };
    const done = new Done(model, world, { place: 'base', instruction }, outcome);
    effects[PAY_OUT]?.(done);
    checkTouched(world, model, done.accounts);
  }

  /** What a lying layer would have the base pay: another amount, to another wallet, another number, or garbage. */
  #liedAction(action: BaseAction): BaseAction {
    const random = this.#random;
    if (random.chance(0.3)) {
      const data = action.data.slice();
      data[random.below(data.length)] = random.below(256);
      return { ...action, data };
    }
    const token = random.pick([...this.model.tokens.values()]);
    const known = token.payable?.withdrawals ?? [];
    const { number, amount, wallet } =
      known.length > 0 && random.chance(0.8)
        ? random.pick(known)
        : { number: random.amount(token.nextNumber + 3n), amount: 1n, wallet: random.pick(WALLETS) };
    const more = random.chance(0.5) ? random.amount(2_000n) : this.model.held(token) + random.amount(3n);
    const forged = {
      number,
      amount: random.chance(0.6) ? more : amount,
      wallet: random.chance(0.6) ? random.pick(ATTACKERS) : wallet,
    };
    const proven = provenIn(this.world, token.token, random.chance(0.8) ? number : random.amount(token.nextNumber));
    return actionOf(build.payOut(this.world, token.token, forged, proven));
  }

  #replay(): void {
    if (this.#sent.length === 0) return;
    const call = this.#random.pick(this.#sent);
    // What is lost takes no more calls.
    if (call.place === 'base' || !this.model.lost) this.#execute(call, 'again');
  }

  /** Tokens that nobody asked for. */
  #give(): void {
    const { world, model } = this;
    const random = this.#random;
    const token = random.pick([...model.tokens.values()]);
    const owner = random.pick(ATTACKERS);
    const source = [...model.purses].find(([, purse]) => purse.owner === owner && purse.token === token)?.[0];
    const destinations = [...model.purses].filter(([, purse]) => purse.token === token).map(([address]) => address);
    if (source === undefined) return;
    const destination = random.pick(destinations);
    const amount = random.amount(20n);
    const transfer = getTransferInstruction(
      { source, destination, authority: signer(owner), amount },
      { programAddress: token.token.program },
    );
    const outcome = world.base.send(transfer);
    this.#report('gift', outcome, '');
    if (!outcome.succeeded) return;
    model.move(source, destination, amount);
    checkTouched(world, model, [source, destination]);
  }

  /** Lamports at the address of a page, of a bitmap's page, of a personal account, or of its permission, that does not exist yet. */
  #sendAhead(): void {
    const random = this.#random;
    const { cast } = this.#situation;
    const { pages, personals, wiped } = this.model.balances;
    const { personal } = random.pick(cast.holders);
    const page = balancePageOf(random.pick(cast.tokens), random.below(2)).address;
    if (random.chance(0.1)) {
      this.#sendAheadOfBitmap();
      return;
    }
    const isPage = random.chance(0.3);
    if ((isPage ? pages.has(page) : personals.has(personal) || wiped.has(personal)) || random.chance(0.5)) return;
    const address = isPage ? page : random.pick([personal, permissionOf(personal)]);
    this.world.base.fund(address, 1_000_000n);
    this.#report('lamports ahead', 'done', address);
  }

  #sendAheadOfBitmap(): void {
    const { schedules } = this.model;
    if (schedules.size === 0) return;
    const { schedule, window, open } = this.#random.pick([...schedules.values()]);
    const { address } = bitmapPageOf(schedule, window, 0);
    if (open?.bitmap.get(0) === address) return;
    this.world.base.fund(address, 1_000_000n);
    this.#report('lamports ahead', 'done', address);
  }

  /** The callback, called by somebody who is not the delegation program. */
  #forgeCallback(): void {
    const schedules = [...this.model.schedules.values()];
    if (schedules.length === 0) return;
    const { schedule } = this.#random.pick(schedules);
    const call = build.undelegationCallback(
      schedule.batch,
      this.#random.pick(ATTACKERS),
      callbackData(...batchSeeds(schedule)),
    );
    const [delegated, buffer, ...rest] = call.accounts as readonly AccountMeta[] as [AccountMeta, AccountMeta];
    const unsigned = { address: buffer.address, role: AccountRole.READONLY };
    const outcome = this.world.base.send({ ...call, accounts: [delegated, unsigned, ...(rest as AccountMeta[])] });
    this.#report(nameOf(CALLBACK), outcome, 'forged');
    rule(!outcome.succeeded, 'somebody else than the delegation program called back');
  }

  /** What only a lying layer does. */
  #lie(): void {
    const { world, model } = this;
    const random = this.#random;
    if (random.chance(0.4)) {
      const away = [...model.byBatch].filter(([, { open }]) => open?.place === 'layer' || open?.place === 'committed');
      if (away.length === 0) return;
      const [batch] = random.pick(away);
      this.#bringBack(batch, lieAbout(world.layer.data(batch), random));
      return;
    }
    const { slots } = model.balances;
    if (slots.length === 0) return;
    const forged = random.pick(slots);
    const { page, slot, token: handle } = forged.holder;
    const state = world.layer.account(page.address);
    const token = model.tokens.get(handle.mint);
    if (state === undefined || token === undefined) return;
    token.lied = true;
    forged.amount += random.amount(5_000n);
    new DataView(state.data.buffer, state.data.byteOffset).setBigUint64(
      AMOUNTS_AT + SLOT_BYTES * slot,
      forged.amount,
      true,
    );
    world.layer.place(state);
    this.#report('forged balance', 'done', `${page.address} ${slot}`);
  }

  /** The layer begins anew: balances are gone, open windows are as the base has delegated them. */
  #resetLayer(): void {
    const { world, model } = this;
    world.loseLayer();
    model.layerReset = true;
    model.balances.forget();
    for (const token of model.tokens.values()) token.nextNumber = 1n;
    for (const { open } of model.schedules.values()) {
      if (open === undefined || open.place === 'base') continue;
      open.place = 'layer';
      open.claimed = new Set();
      open.paid = 0n;
      open.bitmap.clear();
    }
    this.#report('layer reset', 'done', '');
  }

  #findStrangers(): Strangers {
    const { world, model } = this;
    const { cast } = this.#situation;
    const wallets = [
      ...[...EMPLOYERS, ...RECIPIENTS, ...WALLETS, ...ATTACKERS, ...KEYS, ...APPROVERS],
      ...[world.upgradeAuthority, world.governance, world.guardian, world.authority, world.stranger, world.payer],
    ];
    const accounts = [
      ...wallets,
      ...model.purses.keys(),
      ...model.vaults.keys(),
      ...model.schedules.keys(),
      ...model.byBatch.keys(),
      ...model.balances.pages.keys(),
      ...model.balances.personals.keys(),
      ...model.balances.wiped.keys(),
      ...[...model.schedules.values()].flatMap(({ open }) => [...(open?.bitmap.values() ?? [])]),
      ...cast.tokens.flatMap(({ mint, pool, counter, entry, escrow, sponsor }) => [
        mint,
        pool,
        counter,
        entry,
        escrow,
        sponsor,
      ]),
      ...[CONFIG, LEDGER_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM],
    ];
    return { wallets, accounts };
  }
}
