import type { Mail } from '../../src/ports/mail.js';

/** Used where there is no mail server: the operator reads the message in the log, and forwards it. */
export const createLogMail = (log: { info(fields: object, message: string): void }): Mail => ({
  async send({ to, subject, text }) {
    log.info({ to, subject, text }, `No mail server is configured (SMTP_URL). Forward this to ${to}: ${text}`);
  },
});
