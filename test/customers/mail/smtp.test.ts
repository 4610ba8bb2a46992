/** Mail over a real SMTP server, with and without TLS and sign-in. */
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogMail } from '../../../adapters/mail/log.js';
import { createSmtpMail } from '../../../adapters/mail/smtp.js';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly secure: boolean;
  readonly user: string | undefined;
}

const FROM = 'Perch <no-reply@perch.example>';
const MESSAGE = {
  to: 'ada@example.org',
  subject: 'Sign in to Perch',
  text: 'Open this:\n\nhttp://a.example/sign-in#x\n',
};

describe('SMTP', () => {
  const servers: SMTPServer[] = [];
  afterEach(() =>
    Promise.all(servers.splice(0).map((server) => new Promise<void>((resolve) => server.close(resolve)))),
  );

  async function serve(options: SMTPServerOptions = {}): Promise<{ host: string; received: Received[] }> {
    const received: Received[] = [];
    const server = new SMTPServer({
      authOptional: true,
      onAuth: ({ username, password }, _session, callback) =>
        password === 'p@ss' ? callback(null, { user: username ?? '' }) : callback(new Error('535 wrong')),
      onData(stream, { envelope, secure, user }, callback) {
        let source = '';
        stream.on('data', (bytes: Buffer) => {
          source += bytes.toString('utf8');
        });
        stream.on('end', () => {
          const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
          received.push({
            from,
            to: envelope.rcptTo.map(({ address }) => address),
            source,
            secure,
            user: user as never,
          });
          callback();
        });
      },
      ...options,
    });
    server.on('error', () => {});
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { host: `127.0.0.1:${(server.server.address() as AddressInfo).port}`, received };
  }

  it('sends the sender, one receiver and the text without TLS', async () => {
    const { host, received } = await serve({ disabledCommands: ['STARTTLS', 'AUTH'] });
    await createSmtpMail({ url: `smtp://${host}`, from: FROM }).send(MESSAGE);
    expect(received).toMatchObject([{ from: 'no-reply@perch.example', to: ['ada@example.org'], secure: false }]);
    expect(received[0]?.source).toContain('From: Perch <no-reply@perch.example>');
    expect(received[0]?.source).toContain('Subject: Sign in to Perch');
    expect(received[0]?.source).toContain('http://a.example/sign-in#x');
  });

  it('uses TLS if the server offers it, with a password', async () => {
    const { host, received } = await serve();
    const url = `smtp://perch:${encodeURIComponent('p@ss')}@${host}?tls.rejectUnauthorized=false`;
    await createSmtpMail({ url, from: FROM }).send(MESSAGE);
    expect(received).toMatchObject([{ secure: true, user: 'perch' }]);
  });

  it('uses TLS from the beginning (smtps)', async () => {
    const { host, received } = await serve({ secure: true });
    await createSmtpMail({ url: `smtps://perch:p%40ss@${host}?tls.rejectUnauthorized=false`, from: FROM }).send(
      MESSAGE,
    );
    expect(received).toMatchObject([{ secure: true, user: 'perch' }]);
  });

  it('refuses a certificate that is not trusted', async () => {
    const { host, received } = await serve({ secure: true });
    await expect(createSmtpMail({ url: `smtps://${host}`, from: FROM }).send(MESSAGE)).rejects.toThrow(/certificate/i);
    expect(received).toEqual([]);
  });

  it('does not send a password to another machine in the clear', async () => {
    const { host } = await serve({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    // An address of this machine that does not look local.
    const url = `smtp://perch:p%40ss@${host.replace('127.0.0.1', '0.0.0.0')}`;
    await expect(createSmtpMail({ url, from: FROM }).send(MESSAGE)).rejects.toThrow(/TLS/i);
  });

  it('reports a wrong password and an unreachable server to the sender', async () => {
    const { host } = await serve();
    const url = `smtp://perch:wrong@${host}?tls.rejectUnauthorized=false`;
    await expect(createSmtpMail({ url, from: FROM }).send(MESSAGE)).rejects.toThrow(/login|535/i);
    await expect(createSmtpMail({ url: 'smtp://127.0.0.1:1', from: FROM }).send(MESSAGE)).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });

  it.each([
    ['a second receiver', { to: 'a@example.org, b@example.org' }],
    ['a header after the receiver', { to: 'a@example.org\r\nBcc: b@example.org' }],
    ['a name', { to: '"x" <a@example.org>' }],
    ['a header after the subject', { subject: 'Hello\r\nBcc: b@example.org' }],
  ])('never sends %s', async (_name, part) => {
    const { host, received } = await serve({ disabledCommands: ['STARTTLS', 'AUTH'] });
    await expect(createSmtpMail({ url: `smtp://${host}`, from: FROM }).send({ ...MESSAGE, ...part })).rejects.toThrow();
    expect(received).toEqual([]);
  });
});

describe('without a mail server', () => {
  it.each([
    ['info', 1],
    ['fatal', 1],
    ['silent', 0],
  ])('writes the message and its receiver to a log of level %s: %i lines', async (level, count) => {
    const lines: string[] = [];
    const log = pino({ level }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    await createLogMail(log).send(MESSAGE);
    expect(lines).toHaveLength(count);
    for (const line of lines) {
      expect(line).toContain('ada@example.org');
      expect(line).toContain('http://a.example/sign-in#x');
    }
  });
});
