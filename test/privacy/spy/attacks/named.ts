import { addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

/**
 * Whoever is named in an account that the layer shows a stranger, of whatever program, or has one themselves: a read permission names its
 * readers, and anybody may read it. Who has something to read is paid.
 */
export function named({ candidates, layer }: Evidence): Outcome {
  const people = candidates.addresses.map(
    (address) => [Buffer.from(addressToBytes(address as Address)), address] as const,
  );
  const accounts = layer.filter((line) => line.kind === 'account');
  const claims = new Map<string, Claim>();
  for (const { address, data } of accounts) {
    const bytes = Buffer.from(data, 'base64');
    for (const [text, subject] of people) {
      if (address === subject || bytes.includes(text))
        claims.set(subject, { kind: 'is-paid', subject, object: '', isCertain: true });
    }
  }
  const programs = new Set(accounts.map(({ program }) => program));
  return { looked: `${accounts.length} accounts of ${programs.size} programs`, claims: [...claims.values()] };
}
