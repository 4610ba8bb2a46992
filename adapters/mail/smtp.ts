import type { Transporter } from 'nodemailer';
import { z } from 'zod';
import { lazily } from '../../src/lib/lazily.js';
import type { Mail } from '../../src/ports/mail.js';

/**
 * Milliseconds. Long enough for a slow server, since only invitations wait for its answer; but limited, since the
 * recipient waits for the mail.
 */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** One address, and a subject of one line: nothing in them can become an additional header or recipient. */
const envelope = z.object({
  to: z.email().max(254),
  subject: z.string().regex(/^[^\p{Cc}]{1,200}$/u),
  text: z.string(),
});

async function createTransport(url: string): Promise<Transporter> {
  const { username, hostname, protocol } = new URL(url);
  const nodemailer = await import('nodemailer');
  return nodemailer.createTransport({
    url,
    ...TIMEOUTS,
    requireTLS: protocol === 'smtp:' && username !== '' && !LOOPBACK.test(hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Connects and signs in as for a message, but sends nothing. Rejects if the server would not accept one. */
export async function checkSmtp(url: string): Promise<void> {
  const transport = await createTransport(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * Mail over SMTP. `url`: `smtp://` (TLS when the server offers it) or `smtps://`, with `user:password@` if the server
 * requires them; they are sent only over TLS, except to this machine. `from`: an address, or `Name <address>`.
 */
export function createSmtpMail({ url, from }: { url: string; from: string }): Mail {
  // Opened with the first message: many processes never send one.
  const transporter = lazily(() => createTransport(url));
  return {
    async send(message) {
      const { to, subject, text } = envelope.parse(message);
      // Marks the mail as automatic, so that no auto-responder replies to it (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const transport = await transporter.get();
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers });
    },
  };
}
