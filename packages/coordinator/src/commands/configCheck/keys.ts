import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Time } from '@payouts/client';
import { loadAuthority, loadPayloadKeys } from '../../config/keys.ts';
import type { Settings } from '../../config/specs.ts';
import type { Authority } from '../../config/vault.ts';
import { type CheckResult, checkWithin, passed } from './checkResult.ts';

const said = (error: unknown) => (error as Error).message.replace(/\.$/, '');

/** Whether the keys can be had, and the execution authority. Changes nothing. */
export async function checkKeys(
  settings: Settings,
  time: Time,
): Promise<{ readonly findings: CheckResult[]; readonly authority: Authority | undefined }> {
  let authority: Authority | undefined;
  const [signs, encrypts] = await Promise.all([
    checkWithin(
      time,
      async () => {
        authority = await loadAuthority(settings, time);
        return [passed(`keys: ${authority.address} signs`)];
      },
      (error) => `keys: ${said(error)}`,
    ),
    checkWithin(
      time,
      async () => {
        const isMade = settings.payloadKey === undefined && !existsSync(join(settings.dataDir, 'payload.key'));
        if (isMade) return [passed('keys: the first start makes a payload key')];
        const { currentId } = await loadPayloadKeys(settings, time);
        return [passed(`keys: payload key ${currentId} encrypts; ${settings.payloadKeysRetired.length} retired`)];
      },
      (error) => `keys: ${said(error)}`,
    ),
  ]);
  return { findings: [...signs, ...encrypts], authority };
}
