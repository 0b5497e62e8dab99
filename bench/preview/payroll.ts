import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { addressFromBytes } from '@payouts/client';

const PUBLIC_KEY_BYTES = 32;

/** Writes a payroll of so many made-up people. */
export function writePayroll(file: string, count: number): void {
  const lines = Array.from({ length: count }, (_, place) => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
    return `${addressFromBytes(bytes)},"${1 + (place % 9)},${String(place % 1_000).padStart(3, '0')}.50",Person ${place}`;
  });
  writeFileSync(file, `recipient,amount,name\n${lines.join('\n')}\n`);
}
