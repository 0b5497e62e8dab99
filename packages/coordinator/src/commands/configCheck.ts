import { readSettings } from '../config/settings.ts';
import { warningsOf } from '../config/warnings.ts';
import { command, show } from './command.ts';
import { type CheckResult, passed, warned } from './configCheck/checkResult.ts';
import { checkDatabase } from './configCheck/database.ts';
import { checkKeys } from './configCheck/keys.ts';
import { checkLedgers } from './configCheck/ledgers.ts';
import { checkLimitStore } from './configCheck/limitStore.ts';
import { checkMail } from './configCheck/mail.ts';

const STATES = { '✔': 'fine', '!': 'doubtful', '✖': 'wrong' } as const;

/** Tries the whole configuration and changes nothing but what a transfer to itself costs; exit code 1 if something is to be fixed before a start. */
export const configCheck = command({
  synopsis: '[--json]',
  summary:
    'tries every setting, key, database, store and ledger, says what to fix, and changes nothing; one transfer of the authority to itself costs its fee',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, _, { time }) {
    const settings = readSettings(process.env);
    const findings: CheckResult[] = [
      passed('settings: they can be read'),
      ...warningsOf(settings, process.env).map(warned),
    ];
    const { findings: keys, authority } = await checkKeys(settings, time);
    const others = await Promise.all([
      checkDatabase(settings, time),
      checkLimitStore(settings, time),
      checkLedgers(settings, authority, time),
      checkMail(settings, time),
    ]);
    findings.push(...keys, ...others.flat());
    const isFine = !findings.some(({ mark }) => mark === '✖');
    const found = findings.map(({ mark, text }) => ({ state: STATES[mark], text }));
    const lines = findings.map(({ mark, text }) => `${mark} ${text}`);
    await show(json, { isFine, findings: found }, lines);
    return isFine ? 0 : 1;
  },
});
