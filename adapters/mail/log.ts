import type { FastifyBaseLogger } from 'fastify';
import type { Mail } from '../../src/ports/mail.js';

/** Used where there is no mail server: the operator reads the message in the log, and forwards it. */
export function createLogMail(log: FastifyBaseLogger): Mail {
  // At every LOG_LEVEL but `silent`: otherwise nobody could sign in.
  const mails = log.level === 'silent' ? log : log.child({}, { level: 'info' });
  return {
    async send({ to, subject, text }) {
      mails.info({ to, subject, text }, `No mail server is configured (SMTP_URL). Forward this to ${to}: ${text}`);
    },
  };
}
