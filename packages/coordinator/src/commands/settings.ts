import { settingsReference } from '../config/table.ts';
import { command, print } from './command.ts';

/** Prints the reference of all settings. */
export const settings = command({
  synopsis: '',
  summary: 'prints every setting with its default and meaning, as the reference has it',
  options: {},
  async run() {
    await print(settingsReference());
    return 0;
  },
});
