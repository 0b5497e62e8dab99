import {
  buildTransaction,
  derivePermissionAddress,
  EPHEMERAL_VAULT_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
} from '@payouts/client';
import {
  AccountRole,
  type AccountSignerMeta,
  type Base64EncodedWireTransaction,
  generateKeyPairSigner,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import type { ExecutionLayer } from './ledger.ts';
import { type ConnectionInput, caller } from './rpc.ts';

/** Makes an account of the layer alone that says who may read another one. */
const CREATE_EPHEMERAL_PERMISSION = 6;
/** An instruction that no version of the program has. */
const NO_INSTRUCTION = 255;
const COMPUTE_UNITS = 100_000;

export type PermissionsInput = {
  readonly layer: Pick<ExecutionLayer, 'lifetime'>;
  readonly connection: ConnectionInput;
};

type Simulated = { readonly value: { readonly err: unknown; readonly logs: readonly string[] | null } };

/**
 * Whether the layer has the instructions by which read permissions are set: they are tried, without any effect, beside one that does not exist.
 * Where both are answered alike, there are none. Throws `RunError` when the layer does not answer.
 */
export async function hasReadPermissions({ layer, connection }: PermissionsInput): Promise<boolean> {
  const { read } = caller('layer', connection);
  const [payer, subject] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const answerTo = async (instruction: number) => {
    const { wire } = await buildTransaction({
      feePayer: payer,
      instructions: [creation(payer, subject, instruction)],
      lifetime: await layer.lifetime(),
      computeUnitLimit: COMPUTE_UNITS,
    });
    const params: [Base64EncodedWireTransaction, object] = [
      wire,
      { encoding: 'base64', commitment: 'confirmed', sigVerify: false },
    ];
    return read('simulateTransaction', params, ({ value: { err, logs } }: Simulated) => {
      const said = (logs ?? []).filter((line) => !/consumed \d+ of \d+ compute units/.test(line));
      return JSON.stringify([err, said]);
    });
  };
  return (await answerTo(CREATE_EPHEMERAL_PERMISSION)) !== (await answerTo(NO_INSTRUCTION));
}

/** Whether the layer has read permissions, as it said last. */
export class ReadPermissions {
  readonly #ask: () => Promise<boolean>;
  #known: boolean | undefined;
  #asking: Promise<boolean> | undefined;

  constructor(input: PermissionsInput) {
    this.#ask = async () => {
      this.#known = await hasReadPermissions(input);
      return this.#known;
    };
  }

  /** Asks the layer, once for all that ask at the same time. Throws `RunError` when it does not answer. */
  look(): Promise<boolean> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /**
   * Whether there are any, by the last answer, or by one that is asked for now. Throws `RunError` when the layer has never answered: taken for one
   * that has none, it would be given accounts that everybody can read.
   */
  async areThere(): Promise<boolean> {
    return this.#known ?? this.look();
  }
}

/** u64 instruction, private u8, members of 33 bytes each: none. */
function creation(payer: TransactionSigner, subject: TransactionSigner, number: number): Instruction {
  const data = new Uint8Array(9);
  data[0] = number;
  data[8] = 1;
  const signer = (of: TransactionSigner, role: AccountSignerMeta['role']): AccountSignerMeta => ({
    address: of.address,
    role,
    signer: of,
  });
  return {
    programAddress: PERMISSION_PROGRAM_ADDRESS,
    accounts: [
      signer(payer, AccountRole.WRITABLE_SIGNER),
      signer(subject, AccountRole.READONLY_SIGNER),
      { address: derivePermissionAddress(subject.address), role: AccountRole.WRITABLE },
      { address: EPHEMERAL_VAULT_ADDRESS, role: AccountRole.WRITABLE },
      { address: MAGIC_PROGRAM_ADDRESS, role: AccountRole.READONLY },
    ],
    data,
  };
}
