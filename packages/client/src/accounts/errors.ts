import { ERROR_CATALOGUE } from '../generated/errorCatalogue.ts';

/** Code of a custom error of the ledger program, from 6000 on. */
export type ProgramErrorCode = keyof typeof ERROR_CATALOGUE;
/** Name of a custom error of the ledger program, such as `NotDue`. */
export type ProgramErrorName = (typeof ERROR_CATALOGUE)[ProgramErrorCode]['name'];

/** A custom error of the ledger program: its code, its name and a sentence for people. */
export type ProgramError = {
  readonly code: ProgramErrorCode;
  readonly name: ProgramErrorName;
  readonly message: string;
};

const isProgramErrorCode = (code: number): code is ProgramErrorCode => Object.hasOwn(ERROR_CATALOGUE, code);

/** The ledger program's error of a custom code; undefined for a code of another program. */
export function programError(code: number): ProgramError | undefined {
  return isProgramErrorCode(code) ? { code, ...ERROR_CATALOGUE[code] } : undefined;
}

/**
 * The ledger program's error inside a transaction's `err`, as RPC answers it: `{ InstructionError: [place, { Custom: code }] }`
 * with number or bigint. Undefined for any other failure. The caller knows that the failing instruction was the program's.
 */
export function errorOfTransaction(err: unknown): ProgramError | undefined {
  if (typeof err !== 'object' || err === null) return undefined;
  const { InstructionError: instructionError } = err as { InstructionError?: unknown };
  const detail: unknown = Array.isArray(instructionError) ? instructionError[1] : undefined;
  if (typeof detail !== 'object' || detail === null) return undefined;
  const { Custom: code } = detail as { Custom?: unknown };
  return typeof code === 'number' || typeof code === 'bigint' ? programError(Number(code)) : undefined;
}

const NAMES: ReadonlySet<string> = new Set(Object.values(ERROR_CATALOGUE).map(({ name }) => name));

/** Whether a word is the name of one of the ledger program's errors. */
export const isProgramErrorName = (word: string): word is ProgramErrorName => NAMES.has(word);

/** The ledger program's error of a name. */
export function programErrorNamed(name: ProgramErrorName): ProgramError {
  const found = Object.entries(ERROR_CATALOGUE).find(([, error]) => error.name === name) as [string, ProgramError];
  return { ...found[1], code: Number(found[0]) as ProgramErrorCode };
}
