/** Lets the event loop turn once: nobody waits for somebody else's long work. No clock, which tests would turn. */
export { nextTurn } from '#platform';
