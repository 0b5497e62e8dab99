import { readFileSync } from 'node:fs';
import type { Instruction } from '@solana/kit';

interface IdlInstruction {
  readonly name: string;
  readonly accounts: readonly { readonly name: string }[];
  readonly arguments: readonly [{ readonly defaultValue: { readonly number: number } }];
}

const idl = JSON.parse(readFileSync(new URL('../../../packages/client/idl/idl.json', import.meta.url), 'utf8')) as {
  readonly program: { readonly instructions: readonly IdlInstruction[] };
};
/** The callback's accounts are the delegation program's affair, so that the IDL doesn't list them. */
const CALLBACK = ['delegated', 'buffer', 'payer', 'systemProgram'];

/** Every instruction's name by its number, the callback's last. */
export const INSTRUCTIONS: ReadonlyMap<number, string> = new Map([
  ...idl.program.instructions.map(({ name, arguments: [selector] }) => [selector.defaultValue.number, name] as const),
  [196, 'undelegationCallback'],
]);

/** Accounts of each window that is settled. */
const SETTLED = ['schedule', 'batch', 'vault', 'vaultToken'];

/** Names of an instruction's accounts in order; those beyond the IDL's are pages, accounts with their permissions, or windows'. */
export function accountNames({ data, accounts = [] }: Instruction): string[] {
  const name = INSTRUCTIONS.get(data?.[0] ?? -1);
  const listed = idl.program.instructions.find((each) => each.name === name)?.accounts.map((account) => account.name);
  const names = listed ?? CALLBACK;
  const further = (place: number): string => {
    if (name === 'setPermissions') return `${place % 2 === 0 ? 'permitted' : 'permission'} ${Math.floor(place / 2)}`;
    if (name !== 'settle') return `page ${place}`;
    const window = Math.floor(place / SETTLED.length);
    const account = SETTLED[place % SETTLED.length] ?? '';
    return window === 0 ? account : `${account} ${window}`;
  };
  return accounts.map((_, place) => names[place] ?? further(place - names.length));
}
