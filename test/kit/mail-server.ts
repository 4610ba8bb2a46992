import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Received {
  readonly to: string;
  /** Headers and text, decoded. */
  readonly source: string;
}

/** Starts a mail server on a free port. It accepts every mail unless the options say otherwise. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    ...options,
    onData(stream, { envelope }, callback) {
      let source = '';
      stream.on('data', (bytes: Buffer) => {
        source += bytes.toString('utf8');
      });
      stream.on('end', () => {
        for (const { address } of envelope.rcptTo) received.push({ to: address, source: decoded(source) });
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** Decodes quoted-printable if the message uses it. */
function decoded(source: string): string {
  if (!/^content-transfer-encoding: quoted-printable/im.test(source)) return source;
  const joined = source.replaceAll('=\r\n', '');
  return joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
