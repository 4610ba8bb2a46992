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

/** The mail with the link that confirms a new address for an account. */
export const changeMail = ({ to, link, minutes }: { to: string; link: string; minutes: number }): Message => ({
  to,
  subject: 'Confirm your new email address for Perch',
  text: [
    'Open this link, in the browser that you are signed in with, to use this address for your Perch account:',
    '',
    link,
    '',
    `It works once and expires in ${minutes} minutes.`,
    '',
    'If you did not request this, you can ignore it: without the link nothing changes.',
    '',
  ].join('\n'),
});

/** Sent instead if the new address already has an account, so that only the owner of the address learns that it has. */
export const takenMail = (to: string): Message => ({
  to,
  subject: 'This address already has a Perch account',
  text: [
    'Someone asked to use this address for another Perch account. It already has an account, so nothing was changed.',
    '',
    'If it was you, sign in with this address to use that account, or choose another address. Otherwise you can ignore this.',
    '',
  ].join('\n'),
});

/** The notice to the account's previous address. */
export const changedNotice = ({ from, to }: { from: string; to: string }): Message => ({
  to: from,
  subject: 'The email address of your Perch account was changed',
  text: [
    `Your Perch account now has the address ${to}. Sign-in links and notices go there, and no longer to this address.`,
    '',
    'All other sessions were signed out. Keys and passkeys still work.',
    '',
    'If this was not you, contact the operator of the service at once.',
    '',
  ].join('\n'),
});
