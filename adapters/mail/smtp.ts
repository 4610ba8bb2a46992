import type { Transporter } from 'nodemailer';
import { z } from 'zod';
import { lazily } from '../../src/core/lazily.js';
import type { Mail } from '../../src/ports/mail.js';

/** Somebody may wait for the link, but nobody for the answer: patience for a slow server, and an end. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** One address, and a subject of one line: nothing in it can become a header of its own, or a second receiver. */
const envelope = z.object({
  to: z.email().max(254),
  subject: z.string().regex(/^[^\p{Cc}]{1,200}$/u),
  text: z.string(),
});

/**
 * Mail over SMTP. `url`: `smtp://` (TLS when the server offers it) or `smtps://`, with `user:password@` where it asks for one;
 * these are sent over TLS only, but to this machine. `from`: an address, or `Name <address>`.
 */
export function createSmtpMail({ url, from }: { url: string; from: string }): Mail {
  const { username, hostname, protocol } = new URL(url);
  // With the first message: many a process never sends one.
  const transporter = lazily(async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      url,
      ...TIMEOUTS,
      requireTLS: protocol === 'smtp:' && username !== '' && !LOOPBACK.test(hostname),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
  return {
    async send(message) {
      const { to, subject, text } = envelope.parse(message);
      // Says to machines what it is: nobody is away on holiday for it (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const transport = await transporter.get();
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers });
    },
  };
}
