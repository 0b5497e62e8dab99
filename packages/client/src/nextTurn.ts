/** Lets the event loop turn once: nobody waits for somebody else's long work. No clock, which tests would turn. */
export { setImmediate as nextTurn } from 'node:timers/promises';
