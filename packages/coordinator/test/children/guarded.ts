// Prints a secret in every way that goes around the log, after the outputs were guarded; the last one ends the process.

import { systemTime } from '@payouts/client';
import { guardOutput } from '../../dist/platform/log/guard.js';
import { createLogger } from '../../dist/platform/log/log.js';

const [secret = '', ending = ''] = process.argv.slice(2);
guardOutput(createLogger({ level: 'trace', pretty: false, time: systemTime }));
console.log(secret);
console.error(new Error(secret), { secret });
console.table([{ secret }]);
process.emitWarning(secret, { code: 'ABCD', detail: secret });
setTimeout(() => {
  const error = Object.assign(new Error(`${secret}\n    at ${secret}`), { code: secret });
  if (ending === 'rejection') Promise.reject(error);
  else throw error;
}, 50);
