// This tab's key. It is kept only in sessionStorage: not in the address, not in localStorage.

const SLOT = 'perch.key';

/** The form of a key; only the form is checked here, so that a typo is noticed before the key is sent. */
const KEY = /^perch_(live|test)_[0-9A-Za-z]{32}$/;

export const looksLikeKey = (text) => KEY.test(text);

/** As much of a key as may be shown. */
export const keyName = (key) => `${key.slice(0, 17)}…`;

export const readKey = () => sessionStorage.getItem(SLOT);

export const keepKey = (key) => sessionStorage.setItem(SLOT, key);

export const forgetKey = () => sessionStorage.removeItem(SLOT);
