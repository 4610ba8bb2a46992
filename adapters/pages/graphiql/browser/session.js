// This tab's key. It is kept only in sessionStorage: not in the address, not in localStorage.

import { storageNamed } from './storage.js';

const SLOT = 'perch.key';
const session = storageNamed('sessionStorage');

/** The form of a key, which is checked so that a typo is noticed before the key is sent. */
const KEY = /^perch_(live|test)_[0-9A-Za-z]{32}$/;

export const looksLikeKey = (text) => KEY.test(text);

/** The part of a key that may be shown. */
export const keyName = (key) => `${key.slice(0, 17)}…`;

export const readKey = () => session.getItem(SLOT);

export const keepKey = (key) => session.setItem(SLOT, key);

export const forgetKey = () => session.removeItem(SLOT);
