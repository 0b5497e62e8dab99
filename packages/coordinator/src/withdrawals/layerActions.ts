import {
  type BalancePlace,
  buildOwnTransaction,
  derivePermissionAddress,
  drawReleaseTime,
  findPageAddress,
  getClosePersonalInstructionAsync,
  getConfirmWithdrawalInstructionAsync,
  getExecuteOrderInstructionAsync,
  getExecuteTransferInstructionAsync,
  getWipePersonalInstructionAsync,
  PERMISSION_PROGRAM_ADDRESS,
  type ProgramErrorName,
  type RandomBelow,
  type WithdrawalProof,
} from '@payouts/client';
import {
  AccountRole,
  type Address,
  type Base64EncodedWireTransaction,
  type Instruction,
  type Signature,
} from '@solana/kit';
import type { ObservedPersonal, ObservedTransfer, ObservedWithdrawal, WipedPersonal } from '../balances/personal.ts';
import { readAccount } from '../ledger/ledger.ts';
import { programErrorName } from '../ledger/programErrors.ts';
import type { RecorderContext } from '../liabilities/recorderContext.ts';

const COMPUTE_UNITS = 400_000;
const NONCES = 100_000;
/** Milliseconds before the second look at a status, and the longest wait between two, each twice the last. */
const LOOK_MS = 4;
const LONGEST_LOOK_MS = 200;
const STATUS_WITHIN_MS = 5_000;

/** What became of an instruction in the execution layer; `unknown`: no answer, or an error that is not the program's. */
export type LayerOutcome = 'done' | 'unknown' | ProgramErrorName;

/** A signed transaction, and what sends it. */
export type LayerAction = { readonly signature: Signature; readonly send: () => Promise<LayerOutcome> };

/** How the releases of standing orders with delays are drawn. */
export type Releases = {
  /** Seconds between two release instants. */
  readonly releaseSeconds: number;
  readonly randomBelow: RandomBelow;
};

/** A withdrawal to be released, by its number among the balance's own, or what an order or a delivery takes. */
export type Beginning = { readonly personal: ObservedPersonal; readonly takes: number | 'order' | 'delivery' };

/** Sends the authority's instructions about balances to the execution layer. All may be repeated: the balance's state decides. */
export class LayerActions {
  #nonce: number;

  constructor(private readonly context: RecorderContext & Releases) {
    this.#nonce = Math.floor(context.time.random() * NONCES);
  }

  /** Has a withdrawal released whose time has come, or what an order or delivery takes begun: now, or at an instant drawn for it. */
  async executeOrder({ personal, takes }: Beginning): Promise<LayerOutcome> {
    const { authority, config, program } = this.context;
    const { address, page, mint } = personal;
    const dueAt = takes === 'order' ? this.#draw(personal) : 0n;
    const id = typeof takes === 'number' ? takes : 0;
    const instruction = await getExecuteOrderInstructionAsync(
      { authority, config, personal: address, page, mint, id, dueAt },
      { programAddress: program },
    );
    return this.#send(instruction);
  }

  #draw({ delays }: ObservedPersonal): bigint {
    if (delays === undefined) return 0n;
    const { time, releaseSeconds, randomBelow } = this.context;
    const now = BigInt(Math.ceil(time.now() / 1_000));
    const [earliest, latest] = [now + BigInt(delays.least) * 60n, now + BigInt(delays.most) * 60n];
    return drawReleaseTime({ earliest, latest, every: releaseSeconds }, randomBelow);
  }

  /** Has a withdrawal issued, which takes its proof, or cleared when the base ledger has paid it. */
  async confirm({ personal, number, id }: ObservedWithdrawal, proven: WithdrawalProof): Promise<LayerOutcome> {
    const { authority, config, program } = this.context;
    const { address, mint } = personal;
    const page: Address = await findPageAddress(mint, number, { programAddress: program });
    const instruction = await getConfirmWithdrawalInstructionAsync(
      { authority, config, personal: address, mint, page, id, proven },
      { programAddress: program },
    );
    return this.#send(instruction);
  }

  /** What makes a private transfer to where its payment code's balance is, signed, to be sent once. */
  async executeTransfer({ personal, id }: ObservedTransfer, { page, slot }: BalancePlace): Promise<LayerAction> {
    const { authority, config, program } = this.context;
    const terms = { personal: personal.address, page: personal.page, mint: personal.mint, destination: page, slot, id };
    const instruction = await getExecuteTransferInstructionAsync(
      { authority, config, ...terms },
      { programAddress: program },
    );
    return this.#signed(instruction);
  }

  /** Wipes an account of which nothing is left: it says nothing of anybody from then on, and its balance can have another one. */
  async wipe({ address, page }: ObservedPersonal): Promise<LayerOutcome> {
    const { authority, config, program } = this.context;
    const instruction = await getWipePersonalInstructionAsync(
      { authority, config, page, personal: address },
      { programAddress: program },
    );
    return this.#send(instruction);
  }

  /** Closes an account that was wiped; its rent goes back to the token's counter, which pays for the next one. */
  async close({ address, mint }: WipedPersonal): Promise<LayerOutcome> {
    const { authority, config, layer, program } = this.context;
    const permission = derivePermissionAddress(address);
    const isPrivate = (await readAccount(layer, permission))?.owner === PERMISSION_PROGRAM_ADDRESS;
    const instruction = await getClosePersonalInstructionAsync(
      { authority, config, wiped: address, permission, mint },
      { programAddress: program },
    );
    return this.#send(isPrivate ? writing(instruction, permission) : instruction);
  }

  async #send(instruction: Instruction): Promise<LayerOutcome> {
    const { send } = await this.#signed(instruction);
    return send();
  }

  async #signed(instruction: Instruction): Promise<LayerAction> {
    const { authority, layer } = this.context;
    this.#nonce = (this.#nonce + 1) % NONCES;
    const { wire, signature } = await buildOwnTransaction({
      feePayer: authority,
      instructions: [instruction],
      lifetime: await layer.lifetime(),
      // The layer takes an identical transaction for the same one, so a repeat must differ in something.
      computeUnitLimit: COMPUTE_UNITS - this.#nonce,
    });
    return { signature, send: () => this.#sent(wire, signature) };
  }

  async #sent(wire: Base64EncodedWireTransaction, signature: Signature): Promise<LayerOutcome> {
    const { layer, time, signal } = this.context;
    const answer = await layer.send(wire);
    if (answer.kind === 'refused') return programErrorName(answer.err, answer.logs) ?? 'unknown';
    const deadline = time.now() + STATUS_WITHIN_MS;
    for (let lookMs = LOOK_MS; time.now() < deadline; lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS)) {
      const [status] = await layer.statuses([signature]);
      if (status) return status.err === null ? 'done' : (programErrorName(status.err) ?? 'unknown');
      await time.pause(lookMs, signal);
    }
    return 'unknown';
  }
}

/** An instruction that writes an account which it names to be read. */
const writing = (instruction: Instruction, written: Address): Instruction => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).map((account) =>
    account.address === written ? { ...account, role: AccountRole.WRITABLE } : account,
  ),
});
