import { Failure } from '@payouts/employer';

export { Failure };

/** A command that has said all itself and ends with an exit code. */
export class EndedWith extends Error {
  override readonly name = 'EndedWith';

  constructor(readonly exitCode: number) {
    super(`exit code ${exitCode}`);
  }
}

/** The code of a command line that can't be understood. */
export const WRONG_USAGE_CODE = 'wrong-usage';

/** A command line that can't be understood: exit code 2. */
export class WrongUsage extends Failure {
  override readonly name = 'WrongUsage';

  constructor(message: string) {
    super(WRONG_USAGE_CODE, message);
  }
}
