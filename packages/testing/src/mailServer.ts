import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { running } from './running.ts';

/** A mail as it came, and where it was sent by the envelope. */
export type Mail = Email & { readonly sentTo: readonly string[] };

export type MailServer = {
  /** For SMTP_URL. */
  readonly url: string;
  readonly mails: Mail[];
  /** How a mailbox is refused, such as 550; undefined: it takes mails, as every one does to begin with. */
  refusal: (address: string) => number | undefined;
  /** Ends it; another one may listen in its place. */
  stop(): Promise<void>;
};

/** A mail server on this machine that keeps what it is sent; a test file's end by themselves. */
export async function startMailServer(port = 0): Promise<MailServer> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      const code = mailServer.refusal(address);
      done(code === undefined ? null : Object.assign(new Error('Not here.'), { responseCode: code }));
    },
    onData: (stream, { envelope }, done) => {
      buffer(stream)
        .then(async (raw) => {
          mails.push({ ...(await PostalMime.parse(raw)), sentTo: envelope.rcptTo.map(({ address }) => address) });
        })
        .then(() => done(), done);
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    refusal: () => undefined,
    stop: () => {
      running.delete(mailServer);
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  running.add(mailServer);
  return mailServer;
}

/** A header's value. */
export const headerOf = ({ headers }: Email, name: string): string | undefined =>
  headers.find(({ key }) => key === name.toLowerCase())?.value;
