// Loaded before each test file: worlds and services end with the file that began them, after all that its own hooks end; what was begun last
// ends first.
import { afterAll } from 'vitest';
import { running } from './running.ts';

afterAll(async () => {
  for (const each of [...running].reverse()) await each.stop();
});
