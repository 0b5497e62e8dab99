import { DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
} from '@solana-program/token';
import { named, signer } from './addresses.ts';
import { type BaseAction, callHandler, delegationAccounts, registrationOf, returnAccount } from './delegation.ts';
import { associatedToken, type Token, tokenOf } from './handles.ts';
import { Layer } from './layer.ts';
import { FEE_PAYER, Ledger } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import {
  delegationProgramFile,
  LEDGER_PROGRAM,
  ledgerProgramFile,
  TOKEN_PROGRAM,
  upgradeableProgram,
} from './programs.ts';

/** Friday, 15 January 2027, 08:00 UTC. */
export const START = 1_800_000_000n;
export const DECIMALS = 6;

/** Both ledgers, everybody with a role in the deployment, and the clock. Nothing is on the ledgers but programs and lamports. */
export class World {
  readonly base = new Ledger();
  readonly upgradeAuthority = named('upgrade authority');
  readonly governance = named('governance');
  readonly guardian = named('guardian');
  readonly authority = named('execution authority');
  readonly validator = named('validator');
  /** A validator that is registered with the delegation program, but not ours. */
  readonly otherValidator = named('other validator');
  readonly stranger = named('stranger');
  /** Pays for others' accounts. */
  readonly payer = named('payer');
  /** Creates tokens. */
  readonly minter = named('minter');
  /** Base actions that the layer has scheduled and nobody has executed. */
  readonly actions: BaseAction[] = [];
  /** Accounts that the layer has committed and that are not back on the base. */
  readonly returning = new Set<Address>();
  #layer: Layer | undefined;
  #now = START;

  constructor() {
    const { base } = this;
    for (const account of upgradeableProgram(ledgerProgramFile, LEDGER_PROGRAM, this.upgradeAuthority))
      base.set(account);
    base.addProgram(DELEGATION_PROGRAM_ADDRESS, delegationProgramFile());
    const owned = {
      owner: DELEGATION_PROGRAM_ADDRESS,
      executable: false,
      data: new Uint8Array(),
      lamports: 10_000_000n,
    };
    for (const validator of [this.validator, this.otherValidator]) {
      for (const address of registrationOf(validator)) base.set({ ...owned, address });
      base.fund(validator);
    }
    const { upgradeAuthority, governance, guardian, authority, stranger, payer } = this;
    for (const address of [upgradeAuthority, governance, guardian, authority, stranger, payer]) base.fund(address);
    this.setTime(START);
  }

  /** Made when it is first used: it takes as long as the base, and tests of the base alone need none. */
  get layer(): Layer {
    if (this.#layer === undefined) {
      this.#layer = new Layer(this.base);
      this.#layer.ledger.setTime(this.#now);
    }
    return this.#layer;
  }

  /** unix seconds, the same on both ledgers */
  get now(): bigint {
    return this.#now;
  }

  setTime(seconds: bigint): void {
    this.#now = seconds;
    this.base.setTime(seconds);
    this.#layer?.ledger.setTime(seconds);
  }

  /** Creates a mint, its pool's token account and its sponsor. */
  createToken(name: string, program: Address = TOKEN_PROGRAM): Token {
    const mint = named(`mint ${name}`);
    const { base } = this;
    base.set({ address: mint, lamports: 10_000_000n, data: new Uint8Array(82), owner: program, executable: false });
    must(
      base.send(
        getInitializeMint2Instruction(
          { mint, decimals: DECIMALS, mintAuthority: this.minter },
          { programAddress: program },
        ),
      ),
    );
    const token = tokenOf(mint, program);
    base.fund(token.sponsor);
    this.openTokenAccount(token.pool, token);
    return token;
  }

  /** Creates an owner's associated token account if it is missing. */
  openTokenAccount(owner: Address, token: Token): Address {
    const ata = associatedToken(owner, token.mint, token.program);
    must(
      this.base.send(
        getCreateAssociatedTokenIdempotentInstruction({
          payer: signer(FEE_PAYER),
          ata,
          owner,
          mint: token.mint,
          tokenProgram: token.program,
        }),
      ),
    );
    return ata;
  }

  /** Gives an owner new tokens in their associated token account. */
  mintTo(owner: Address, token: Token, amount: bigint): Address {
    const at = this.openTokenAccount(owner, token);
    must(
      this.base.send(
        getMintToInstruction(
          { mint: token.mint, token: at, mintAuthority: signer(this.minter), amount },
          { programAddress: token.program },
        ),
      ),
    );
    return at;
  }

  /** Sends an instruction to the execution layer and keeps what it scheduled. */
  sendToLayer(...instructions: readonly Instruction[]): Outcome {
    const { outcome, scheduled } = this.layer.send(...instructions);
    this.actions.push(...scheduled.actions);
    for (const account of scheduled.returns) this.returning.add(account);
    return outcome;
  }

  /** Brings an account back to the base as the layer holds it, or with other bytes if the layer lies. */
  bringBack(account: Address, data = this.layer.data(account)): Outcome {
    const metadata = this.base.account(delegationAccounts(account).delegationMetadata);
    if (metadata === undefined) throw new Error(`${account} is not delegated`);
    const lamports = this.layer.account(account)?.lamports ?? 0n;
    const outcome = this.base.send(
      ...returnAccount({ validator: this.validator, account, metadata: metadata.data, data, lamports }),
    );
    if (outcome.succeeded) {
      this.returning.delete(account);
      this.layer.release(account);
    }
    return outcome;
  }

  /** Executes a base action, as the validator of the layer or as another one. */
  act(action: BaseAction, validator: Address = this.validator): Outcome {
    return this.base.send(callHandler(validator, action));
  }

  /** The execution layer begins anew, without its state and without what it was about to send. */
  loseLayer(): void {
    this.#layer = undefined;
    this.returning.clear();
    this.actions.length = 0;
  }

  /** Brings everything to the base that the layer has scheduled. Throws if something fails. */
  deliver(): void {
    for (const account of [...this.returning]) must(this.bringBack(account));
    for (const action of this.actions.splice(0)) must(this.act(action));
  }
}

/** The outcome, which must be a success. */
export function must(outcome: Outcome): Outcome {
  if (!outcome.succeeded) throw new Error(`${outcome.failure}\n${outcome.logs.join('\n')}`);
  return outcome;
}
