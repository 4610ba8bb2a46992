import type { Message } from '../ports/mail.js';

/** The mail with a sign-in link. Plain text, so that the address clicked is the one shown. */
export const signInMail = ({ to, link, minutes }: { to: string; link: string; minutes: number }): Message => ({
  to,
  subject: 'Sign in to Perch',
  text: [
    'Open this link to sign in to Perch:',
    '',
    link,
    '',
    `It works once and expires in ${minutes} minutes.`,
    '',
    'If you did not request this, you can ignore it: nobody can sign in without the link.',
    '',
  ].join('\n'),
});
