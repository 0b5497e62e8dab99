/** Something that can't be done. `code` is for programs and stable; the message is a sentence for people. */
export class Failure extends Error {
  override readonly name: string = 'Failure';

  constructor(
    readonly code: string,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, options);
  }
}
