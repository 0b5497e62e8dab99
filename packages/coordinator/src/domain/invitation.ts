/** Invitations of an employer that are open at a time. */
export const MAX_INVITATIONS = 1_000;
/** Addresses that an invitation is answered with, at most: a second one is shown to the employer beside the first. */
export const MAX_ANSWERS = 3;
/** Letters of what an invitation says or is answered with, sealed, at most. */
export const MAX_SEALED_LETTERS = 2_000;
/** Milliseconds for which a recipient's request for another address waits for the employer. */
export const ADDRESS_CHANGE_MS = 90 * 86_400_000;
/** Milliseconds by which the clock of whoever signs may be another one. */
export const CLOCK_MS = 300_000;
