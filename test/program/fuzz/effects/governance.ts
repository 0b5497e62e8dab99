import { tokenOf, vaultOf } from '@payouts/testing/litesvm/handles';
import { SYSTEM_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address } from '@solana/kit';
import { WithdrawalTree } from '../../harness/withdrawals.ts';
import { rule, type TokenModel } from '../model.ts';
import type { Done, Effects } from './effect.ts';

const DAY = 86_400n;
const WEEK = 7n * DAY;

/** Which of the two keys has signed. */
function eitherKey(done: Done): 'governance' | 'guardian' {
  const role = done.at(0) === done.model.governance ? 'governance' : 'guardian';
  done.signedBy(0, done.model[role], role);
  return role;
}

function replaceGuardian({ model }: Done, key: Address): void {
  model.guardian = key;
  model.next.guardian = undefined;
  model.next.governance = undefined;
}

/** The deployment: roles, limits, whitelist, and what each token has once. */
export const governanceEffects: Effects = {
  0: (done) => {
    done.signedBy(0, done.world.upgradeAuthority, 'upgrade authority');
    done.model.lossGrace = BigInt(done.u32(160));
  },
  1: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    const pending = done.address(1);
    model.pendingGovernance = pending === SYSTEM_PROGRAM ? undefined : pending;
    model.spoiled =
      done.u32(65) < 20 || done.u32(69) > 60 || done.u32(73) > 30 || done.u32(77) < 60 || done.u16(81) < 20;
  },
  2: (done) => {
    const { model } = done;
    done.signedBy(0, model.pendingGovernance, 'pending governance');
    model.governance = done.at(0);
    model.pendingGovernance = undefined;
  },
  3: (done) => done.signedBy(0, done.model.governance, 'governance'),
  4: (done) => {
    const { model } = done;
    const token = tokenOf(done.at(4), done.at(6));
    rule(!model.tokens.has(token.mint), 'a pool was created twice');
    const created: TokenModel = {
      token,
      supply: 0n,
      movedIn: 0n,
      returned: 0n,
      paidOut: 0n,
      open: 0n,
      sequence: 0n,
      recordedIn: 0n,
      openings: 0n,
      recordedOpenings: 0n,
      closings: 0n,
      left: 0n,
      coveredTo: 1n,
      leastOpening: 0n,
      payable: new WithdrawalTree([]),
      payableRoot: '00'.repeat(32),
      payableLeaves: 0,
      nextNumber: 1n,
      withdrawals: new Map(),
      paidNumbers: new Set(),
      redeemed: new Set(),
      recorded: undefined,
      lied: false,
    };
    model.tokens.set(token.mint, created);
    model.purses.set(token.poolToken, { owner: token.pool, token: created, amount: 0n });
  },
  5: () => undefined,
  6: (done) => {
    const { model } = done;
    const employer = done.at(0);
    done.signedBy(0, employer, 'employer');
    const token = [...model.tokens.values()].find(({ token: { mint } }) => mint === done.at(7));
    rule(token !== undefined, 'a vault of a token without a pool');
    const vault = vaultOf(employer, token.token);
    const known = model.vaults.get(vault.address);
    rule(known === undefined || known.closed, 'a vault was opened twice');
    if (known !== undefined) known.closed = false;
    else {
      const zero = {
        deposited: 0n,
        withdrawn: 0n,
        paid: 0n,
        closed: false,
        nextId: 0n,
        policy: undefined,
        spent: { day: 0n, sum: 0n },
      };
      model.vaults.set(vault.address, { vault, token, schedules: new Set(), ...zero });
    }
  },
  20: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    done.signedBy(1, model.guardian, 'guardian');
    replaceGuardian(done, done.address(1));
    model.lossGrace = BigInt(done.u32(33));
    rule(model.lossGrace >= 86_400n && model.lossGrace <= 90n * 86_400n, 'the grace time is out of range');
    rule(model.guardian !== model.governance, 'governance became its own guardian');
  },
  24: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    done.signedBy(1, model.guardian, 'guardian');
    rule(model.lossDeclaredAt === 0n, 'a loss was declared twice');
    model.lossDeclaredAt = done.now;
  },
  25: (done) => {
    const { model } = done;
    const role = eitherKey(done);
    rule(!model.lost, 'a loss was revoked after the grace time');
    rule(done.now >= model.revokesFrom[role], 'one key revoked twice in 180 days');
    model.revokesFrom[role] = done.now + 180n * DAY;
    model.lossDeclaredAt = 0n;
  },
  46: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    model.proposed = { authority: done.address(1), from: done.now + WEEK };
  },
  47: (done) => {
    const { model } = done;
    const { proposed } = model;
    rule(proposed !== undefined && done.now >= proposed.from, 'an execution authority took over too early');
    done.signedBy(0, proposed?.authority, 'proposed authority');
    model.authority = done.at(0);
    model.proposed = undefined;
  },
  48: (done) => {
    const { model } = done;
    done.signedBy(0, model.guardian, 'guardian');
    rule(model.proposed?.authority === done.address(1), 'the guardian agreed to another key');
    model.proposed = { authority: done.address(1), from: done.now };
  },
  49: (done) => {
    const { model } = done;
    const by = done.at(0);
    done.signedBy(0, by === model.governance ? model.governance : model.guardian, 'governance or guardian');
    model.proposed = undefined;
  },
  50: (done) => {
    const { model } = done;
    const role = done.at(0) === model.governance ? 'governance' : 'guardian';
    done.signedBy(0, model[role], role);
    rule(done.now >= model.suspendsFrom[role], 'one key suspended twice in 37 days');
    model.suspendsFrom[role] = done.now + 37n * DAY;
    model.suspendedUntil = done.now + WEEK;
  },
  51: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    done.signedBy(1, model.guardian, 'guardian');
    model.suspendedUntil = 0n;
  },
  52: (done) => {
    const { model } = done;
    done.signedBy(0, model.governance, 'governance');
    done.signedBy(1, model.guardian, 'guardian');
    model.tokenOfPool(done.at(3)).leastOpening = done.u64(1);
  },
  53: (done) => {
    const replaced = eitherKey(done) === 'governance' ? 'guardian' : 'governance';
    done.model.next[replaced] = { key: done.address(1), from: done.now + 30n * DAY };
  },
  54: (done) => {
    const { model } = done;
    const key = done.at(0);
    const role = key === model.next.guardian?.key ? 'guardian' : 'governance';
    const next = model.next[role];
    rule(next !== undefined && done.now >= next.from, 'a key was replaced too early');
    done.signedBy(0, next.key, 'proposed key');
    if (role === 'guardian') replaceGuardian(done, key);
    else {
      model.governance = key;
      model.pendingGovernance = undefined;
      model.proposed = undefined;
      model.next.guardian = undefined;
      model.next.governance = undefined;
    }
    rule(model.guardian !== model.governance, 'governance became its own guardian');
  },
  55: (done) => {
    const { next } = done.model;
    eitherKey(done);
    const key = done.address(1);
    rule(next.guardian?.key === key || next.governance?.key === key, 'what nobody proposed was refused');
    if (next.guardian?.key === key) next.guardian = undefined;
    if (next.governance?.key === key) next.governance = undefined;
  },
  56: (done) => {
    const { model } = done;
    eitherKey(done);
    rule(model.lossDeclaredAt === 0n, 'a loss was declared twice');
    const { open, timeout } = model.schedule(done.at(2));
    rule(open !== undefined && open.place !== 'base', 'one key declared a loss although the batch is back');
    rule(done.now >= open.openedAt + timeout + 30n * DAY, 'one key declared a loss too early');
    model.lossDeclaredAt = done.now;
  },
};
