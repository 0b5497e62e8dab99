import {
  createPoolInstructions,
  createScheduleInstructions,
  createVaultInstructions,
  getCancelScheduleInstruction,
  getDepositInstruction,
  getFundScheduleInstruction,
  getPauseScheduleInstruction,
  getResumeScheduleInstruction,
  type Schedule as Terms,
} from '@payouts/client';
import { named, signer } from '@payouts/testing/litesvm/addresses';
import { CONFIG, type Schedule, scheduleOf, type Token, type Vault, vaultOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { readSchedule } from './accounts.ts';
import type { Ledgers } from './ledgers.ts';
import type { DrawnList } from './lists.ts';

export type ScheduleTerms = {
  readonly vault: Vault;
  readonly id: bigint;
  readonly list: Pick<DrawnList, 'recipients' | 'root' | 'total'>;
  /** Seconds, and unix seconds. */
  readonly every: number;
  readonly batchTimeout: number;
  readonly firstExecution: bigint;
  readonly executions: number;
};

/** What employers do on the base ledger, by their transactions; nothing of theirs is delayed or lost. */
export class Employers {
  constructor(private readonly ledgers: Ledgers) {}

  async createToken(name: string): Promise<Token> {
    const { machines } = this.ledgers;
    const token = machines.createToken(name);
    const { mint, counter } = token;
    must(this.ledgers.act(...(await createPoolInstructions({ payer: signer(machines.payer), mint }))));
    this.ledgers.show(counter);
    return token;
  }

  async createVault(name: string, token: Token): Promise<Vault> {
    const employer = named(`employer ${name}`);
    const { machines } = this.ledgers;
    machines.base.fund(employer);
    const existing = { pool: true, counter: true };
    const { mint } = token;
    must(this.ledgers.act(...(await createVaultInstructions({ employer: signer(employer), mint, existing }))));
    return vaultOf(employer, token);
  }

  /** Promises a list for so many executions, which are paid in before. */
  async createSchedule({ vault, id, every, executions, list, ...terms }: ScheduleTerms): Promise<Schedule> {
    const { mint } = vault.token;
    const calendar = { unit: 'seconds', every, day: 0 } as const;
    const employer = signer(vault.employer);
    this.#deposit(vault, list.total * BigInt(executions));
    const promised = await createScheduleInstructions({ ...terms, employer, mint, id, list, calendar, executions });
    must(this.ledgers.act(...promised));
    return scheduleOf(vault, id);
  }

  /** Pays further executions in, unless the schedule is cancelled. */
  fund({ vault, address }: Schedule, executions: number): void {
    this.#deposit(vault, this.terms(address).amount * BigInt(executions));
    const { address: at, employer, employerEntry, token } = vault;
    const entries = { employerEntry, mintEntry: token.entry };
    const payer = signer(employer);
    const accounts = { employer: payer, payer, config: CONFIG, ...entries, vault: at, schedule: address };
    this.ledgers.act(getFundScheduleInstruction({ ...accounts, executions, dates: [] }));
  }

  /** Pauses a schedule if it is active. */
  pause(schedule: Schedule): void {
    this.ledgers.act(getPauseScheduleInstruction(accountsOf(schedule)));
  }

  /** Lets a paused schedule go on. */
  resume(schedule: Schedule): void {
    this.ledgers.act(getResumeScheduleInstruction(accountsOf(schedule)));
  }

  /** Cancels a schedule, unless it has ended: what is promised to windows that are not open is available again. */
  cancel(schedule: Schedule): void {
    this.ledgers.act(getCancelScheduleInstruction(accountsOf(schedule)));
  }

  /** As it is on the base ledger now. */
  terms(schedule: Address): Terms {
    const terms = readSchedule(this.ledgers.base.account(schedule));
    if (terms === undefined) throw new Error('The schedule is not there.');
    return terms;
  }

  #deposit({ employer, address, tokenAccount, employerToken, token }: Vault, amount: bigint): void {
    this.ledgers.machines.mintTo(employer, token, amount);
    const deposit = getDepositInstruction({
      ...{ depositor: signer(employer), sourceToken: employerToken, vault: address, vaultToken: tokenAccount },
      ...{ mint: token.mint, tokenProgram: token.program, amount },
    });
    must(this.ledgers.act(deposit));
  }
}

const accountsOf = ({ vault, address }: Schedule) => ({
  employer: signer(vault.employer),
  vault: vault.address,
  schedule: address,
});
