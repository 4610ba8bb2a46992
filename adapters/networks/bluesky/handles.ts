const HANDLE = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const MOST_CHARACTERS = 253;
/** Replaces a handle that no longer leads to its account. */
const INVALID = 'handle.invalid';

/** Handles are DNS names: at least one dot, and a last label that does not begin with a digit. */
export const isHandle = (text: string): boolean => text.length <= MOST_CHARACTERS && HANDLE.test(text);

/** Whether an account can be looked up by it. */
export const isAskable = (handle: string): boolean => isHandle(handle) && handle.toLowerCase() !== INVALID;
