import { named } from '@payouts/testing/litesvm/addresses';
import type { State } from '@payouts/testing/litesvm/ledger';
import { LEDGER_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address, Instruction } from '@solana/kit';
import { AccountRole, isSignerRole, isWritableRole } from '@solana/kit';
import { twinOf } from './twin.ts';

/** A call made wrong in one respect, and the accounts that are put in place for it. */
export interface Wrong {
  readonly instruction: Instruction;
  readonly placed: readonly State[];
  /** What is put in the account's place, if there is a choice: `twin`, or the name of another account of the call. */
  readonly label?: string;
}

/** One account of a call. */
export interface Subject {
  readonly instruction: Instruction;
  /** Of the call's accounts. */
  readonly names: readonly string[];
  readonly place: number;
  readonly address: Address;
  readonly role: AccountRole;
  /** undefined: the account does not exist */
  readonly state: State | undefined;
}

/** Why a negative does not apply to an account. */
export type Reason = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h';

export const REASONS: Record<Reason, string> = {
  a: 'no such role: the account does not sign, or is not written',
  b: 'the account does not exist yet, or has no bytes: nobody can own or fill it wrongly',
  c: 'not an account of the ledger program: it has no kind and no version',
  d: 'not a program',
  e: 'freely chosen by the sender: another one is as good',
  f: 'the delegation program decides: it always passes its escrow as signer and written, and the authority as written',
  g: 'pays for what is missing, and nothing is missing here',
  h: 'the call names the account twice here, and writes it in the other place',
};

/** A way to make one account of a call wrong: the wrong calls, or why there are none. */
export interface Kind {
  readonly name: string;
  wrong(subject: Subject): Reason | Wrong[];
}

const OTHER_PROGRAM = named('another program');
const STRANGER = named('a stranger who signs');

const replaced = ({ instruction, place, role }: Subject, address: Address, as = role): Instruction => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).map((meta, at) => (at === place ? { address, role: as } : meta)),
});
const only = (instruction: Instruction, ...placed: State[]): Wrong[] => [{ instruction, placed }];
const isProgram = ({ state }: Subject) => state?.executable === true;
const isWallet = ({ state }: Subject) => state === undefined || state.owner === SYSTEM_PROGRAM;

export const KINDS: readonly Kind[] = [
  {
    name: 'missing signer',
    wrong(subject) {
      if (!isSignerRole(subject.role)) return 'a';
      const role = isWritableRole(subject.role) ? AccountRole.WRITABLE : AccountRole.READONLY;
      return only(replaced(subject, subject.address, role));
    },
  },
  {
    name: 'wrong owner',
    wrong(subject) {
      const { state, instruction } = subject;
      if (state === undefined || state.executable || state.data.length === 0) return 'b';
      return only(instruction, { ...state, owner: OTHER_PROGRAM });
    },
  },
  {
    name: 'wrong program',
    wrong(subject) {
      if (!isProgram(subject)) return 'd';
      const others = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, LEDGER_PROGRAM, SYSTEM_PROGRAM];
      return others
        .filter((program) => program !== subject.address)
        .map((program) => ({ instruction: replaced(subject, program), placed: [] }));
    },
  },
  {
    name: 'wrong address',
    wrong(subject) {
      const { state, place } = subject;
      if (isProgram(subject)) return 'd';
      const elsewhere = isWallet(subject) ? STRANGER : named(`copy ${place} of ${subject.address}`);
      // Only the ledger program can make accounts of its own, and makes them at derived addresses: a copy is somebody else's.
      const owner = state?.owner === LEDGER_PROGRAM ? OTHER_PROGRAM : state?.owner;
      const copies = state === undefined ? [] : [{ ...state, address: elsewhere, owner: owner ?? OTHER_PROGRAM }];
      const wrong: Wrong[] = only(replaced(subject, elsewhere), ...copies);
      const twin = state === undefined ? undefined : twinOf(state);
      if (twin !== undefined)
        wrong.push({ instruction: replaced(subject, twin.address), placed: [twin], label: 'twin' });
      return wrong;
    },
  },
  {
    name: 'wrong discriminator',
    wrong({ state, instruction }) {
      if (state === undefined || state.data.length === 0) return 'b';
      if (state.owner !== LEDGER_PROGRAM) return 'c';
      return [
        [0, (state.data[0] ?? 0) ^ 15],
        [1, 2],
      ].map(([at, byte]) => {
        const data = state.data.slice();
        data[at as number] = byte as number;
        return { instruction, placed: [{ ...state, data }] };
      });
    },
  },
  {
    name: 'not writable',
    wrong(subject) {
      if (!isWritableRole(subject.role)) return 'a';
      const role = isSignerRole(subject.role) ? AccountRole.READONLY_SIGNER : AccountRole.READONLY;
      return only(replaced(subject, subject.address, role));
    },
  },
  {
    name: 'duplicate',
    wrong(subject) {
      const others = new Map(
        (subject.instruction.accounts ?? []).map(({ address }, at) => [address, subject.names[at]]),
      );
      others.delete(subject.address);
      return Array.from(others, ([address, label = '']) => ({
        instruction: replaced(subject, address),
        placed: [],
        label,
      }));
    },
  },
];
