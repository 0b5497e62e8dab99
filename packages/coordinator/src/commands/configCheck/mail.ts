import type { Time } from '@payouts/client';
import type { Settings } from '../../config/specs.ts';
import { Mailer } from '../../notices/mail.ts';
import { type CheckResult, checkWithin, passed, warned } from './checkResult.ts';

/** Whether the mail server is there and takes the sign-in. The service starts without it, and keeps what is to be sent. */
export async function checkMail({ smtpUrl, smtpFrom }: Settings, time: Time): Promise<CheckResult[]> {
  if (smtpUrl === undefined || smtpFrom === undefined) return [];
  const check = async () => {
    await new Mailer({ url: smtpUrl, from: smtpFrom, time }).verify();
    return [passed('e-mail: the mail server takes what is sent')];
  };
  const found = await checkWithin(
    time,
    check,
    () => "e-mail: SMTP_URL can't be used: check address, user and password, that it is running and offers TLS",
  );
  return found.map((finding) => (finding.mark === '✖' ? warned(`${finding.text}; until then e-mails wait`) : finding));
}
