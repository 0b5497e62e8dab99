import { readFileSync } from 'node:fs';
import {
  checkMember,
  createTransactionInstructions,
  decodeMultisig,
  decodeTransaction,
  decodeVote,
  executionInstruction,
  type Failure,
  findTransactionAddress,
  findTreasuryAddress,
  findVoteAddress,
  instructionsOf,
  memberRoles,
  messageBytes,
  proposalSteps,
  readMemberCall,
  roleAt,
  type Treasury,
  voteInstruction,
  votesNeeded,
} from '@payouts/employer';
import {
  AccountRole,
  type Address,
  createNoopSigner,
  type Instruction,
  isSignerRole,
  isWritableRole,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

type Written = {
  readonly program: Address;
  readonly accounts: readonly (readonly [Address, boolean, boolean])[];
  readonly data: string;
};

/** What @sqds/multisig 2.1.4 writes and reads, made with that package once: it is part of no client. */
const squads = JSON.parse(readFileSync(new URL('squadsVectors.json', import.meta.url), 'utf8')) as Readonly<
  Record<'multisig' | 'vault' | 'member' | 'transaction' | 'proposal', Address> &
    Record<'create' | 'propose' | 'approve' | 'reject' | 'execute', Written> &
    Record<'transactionAccount' | 'proposalAccount' | 'multisigAccount', string>
> & { readonly calls: readonly Written[] };

const { multisig, vault } = squads;
const member = createNoopSigner(squads.member);
const voting = { multisig, index: 7n, member };
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const role = (signs: boolean, isWritten: boolean): AccountRole => (signs ? 2 : 0) + (isWritten ? 1 : 0);
const instruction = ({ program, accounts, data }: Written): Instruction => ({
  programAddress: program,
  accounts: accounts.map(([address, signs, isWritten]) => ({ address, role: role(signs, isWritten) })),
  data: bytes(data),
});
const written = ({ programAddress, accounts = [], data }: Instruction): Written => ({
  program: programAddress,
  accounts: accounts.map((each) => [each.address, isSignerRole(each.role), isWritableRole(each.role)]),
  data: Buffer.from(data ?? []).toString('hex'),
});
const calls = squads.calls.map(instruction);

describe('what a treasury is told, as Squads writes and reads it', () => {
  it('has the addresses that Squads derives', async () => {
    expect(await findTreasuryAddress(multisig)).toBe(vault);
    expect(await findTransactionAddress(multisig, 7n)).toBe(squads.transaction);
    expect(await findVoteAddress(multisig, 7n)).toBe(squads.proposal);
  });

  it('writes each instruction byte for byte', async () => {
    const [create, propose] = await createTransactionInstructions(voting, 0, messageBytes(vault, calls));
    expect(written(create)).toEqual(squads.create);
    expect(written(propose)).toEqual(squads.propose);
    expect(written(await voteInstruction(voting, 'approve'))).toEqual(squads.approve);
    expect(written(await voteInstruction(voting, 'reject'))).toEqual(squads.reject);
    const { message } = decodeTransaction(bytes(squads.transactionAccount), multisig) ?? {};
    if (message === undefined) throw new Error('the transaction was not read');
    const accounts = message.keys.map((address, place) => ({ address, role: roleAt(message, place) }));
    const treasury = { multisig, vaultIndex: 0, employer: vault } as Treasury;
    expect(written(await executionInstruction(treasury, { index: 7n, accounts }, member))).toEqual(squads.execute);
  });

  it('reads the accounts that Squads keeps', () => {
    expect(decodeMultisig(bytes(squads.multisigAccount))).toMatchObject({
      threshold: 2,
      timeLock: 60,
      transactionIndex: 7n,
      staleTransactionIndex: 3n,
      members: [{ key: squads.member, permissions: 7 }, { permissions: 2 }, { permissions: 4 }],
    });
    expect(decodeVote(bytes(squads.proposalAccount), multisig)).toMatchObject({
      status: 'approved',
      since: 1_790_000_000n,
      approved: [squads.member, expect.anything()],
      rejected: [expect.anything()],
    });
    expect(decodeVote(bytes(squads.proposalAccount), vault)).toBeUndefined();
    expect(decodeTransaction(bytes(squads.transactionAccount), vault)).toBeUndefined();
    expect(decodeMultisig(bytes(squads.proposalAccount))).toBeUndefined();
  });

  it('tells each member’s role by the permissions that Squads keeps, and says what they may not do', () => {
    const state = decodeMultisig(bytes(squads.multisigAccount));
    if (state === undefined) throw new Error('the multisig was not read');
    const [all, approver, executor] = state.members.map(({ key }) => key) as [Address, Address, Address];
    expect(state.members.map(({ permissions }) => memberRoles(permissions))).toEqual([
      ['preparer', 'approver', 'executor'],
      ['approver'],
      ['executor'],
    ]);
    expect(memberRoles(1)).toEqual(['preparer']);
    const treasury = { multisig, vaultIndex: 0, employer: vault, state };
    expect(votesNeeded(treasury)).toBe('2 of 2 approvers decide.');
    const refusal = (key: Address, right: 'initiate' | 'vote' | 'execute'): unknown => {
      try {
        checkMember(treasury, key, right);
        return undefined;
      } catch (error) {
        return (error as Failure).code;
      }
    };
    expect((['initiate', 'vote', 'execute'] as const).map((right) => refusal(all, right))).toEqual(Array(3));
    expect(refusal(approver, 'initiate')).toBe('role-refuses');
    expect(refusal(approver, 'execute')).toBe('role-refuses');
    expect(refusal(executor, 'vote')).toBe('role-refuses');
    expect(refusal(multisig, 'vote')).toBe('not-member');
    expect(() => checkMember(treasury, approver, 'initiate')).toThrow(
      `is approver of ${multisig}, and may not propose`,
    );
  });

  it('tells who did what by each call that Squads writes, and nothing by another', () => {
    const told = ({ program, accounts, data }: Written) =>
      readMemberCall({ programAddress: program, accounts: accounts.map(([address]) => address), data: bytes(data) });
    const by = { multisig: squads.multisig, member: squads.member, vote: squads.proposal };
    expect(told(squads.propose)).toEqual({ what: 'proposed', number: 7n, ...by });
    expect(told(squads.approve)).toEqual({ what: 'approved', ...by });
    expect(told(squads.reject)).toEqual({ what: 'rejected', ...by });
    expect(told(squads.execute)).toEqual({ what: 'executed', ...by });
    expect(told(squads.create)).toMatchObject({ what: undefined, member: squads.member });
    expect(told({ ...squads.approve, program: vault })).toBeUndefined();
    expect(told({ ...squads.approve, data: '00' })).toBeUndefined();
    expect(told({ ...squads.approve, accounts: squads.approve.accounts.slice(0, 1) })).toBeUndefined();
  });

  it('shows members the calls that were proposed: programs, accounts and data', () => {
    const { message } = decodeTransaction(bytes(squads.transactionAccount), multisig) ?? {};
    if (message === undefined) throw new Error('the transaction was not read');
    const read = instructionsOf(message).map(written);
    expect(read.map(({ program, data }) => [program, data])).toEqual(
      calls.map((each) => [each.programAddress, written(each).data]),
    );
    expect(read.map(({ accounts }) => accounts.map(([address]) => address))).toEqual(
      calls.map(({ accounts = [] }) => accounts.map(({ address }) => address)),
    );
    expect(() => instructionsOf({ ...message, tables: 1 })).toThrow("can't be shown");
  });

  it('proposes and approves in one transaction where both fit, and leaves the vote to others where a member has none', async () => {
    const state = decodeMultisig(bytes(squads.multisigAccount));
    if (state === undefined) throw new Error('the multisig was not read');
    const treasury = { multisig, vaultIndex: 0, employer: vault, state };
    const stepsOf = (length: number, of: Treasury = treasury) =>
      proposalSteps(of, member, [{ programAddress: squads.proposal, data: new Uint8Array(length) }]);
    const { index, steps } = await stepsOf(10);
    expect([index, steps.map((step) => step.map((each) => each.length))]).toEqual([8n, [[3]]]);
    // What has just no room for the vote has it in a second one.
    const sizes = Array.from({ length: 120 }, (_, place) => place * 10);
    const shapes = new Set<string>();
    for (const length of sizes) {
      const shape = await stepsOf(length).then(
        (made) => JSON.stringify(made.steps.map((step) => step.map((each) => each.length))),
        (error: Failure) => error.code,
      );
      shapes.add(shape);
    }
    expect([...shapes]).toEqual(['[[3]]', '[[2],[1]]', 'transaction-too-large']);
    const preparers = state.members.map(({ key }) => ({ key, permissions: 1 }));
    const proposed = await stepsOf(10, { ...treasury, state: { ...state, members: preparers } });
    expect(proposed.steps.flat(2)).toHaveLength(2);
  });

  it('refuses what somebody else must sign, too', () => {
    const [call] = calls;
    const others = [{ address: multisig, role: AccountRole.READONLY_SIGNER }];
    expect(() => messageBytes(vault, [{ ...call, accounts: others } as Instruction])).toThrow('a treasury signs alone');
  });

  it('names every account once, the vault first, and loses no signature and no writing', () => {
    const addresses = [vault, multisig, squads.member, squads.transaction, squads.proposal];
    const account = fc.record({
      address: fc.constantFrom(...addresses),
      role: fc.constantFrom(AccountRole.READONLY, AccountRole.WRITABLE),
    });
    const call = fc.record({
      programAddress: fc.constantFrom(...addresses.slice(1)),
      accounts: fc.array(account, { maxLength: 8 }),
      data: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (drawn) => {
        const message = messageBytes(vault, drawn);
        const count = message[3] as number;
        const named = new Set([
          vault,
          ...drawn.flatMap((each) => [each.programAddress, ...each.accounts.map(({ address }) => address)]),
        ]);
        expect([message[0], message[1], count]).toEqual([1, 1, named.size]);
        expect(message[4 + 32 * count]).toBe(drawn.length);
      }),
    );
  });
});
