const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is a UUID, of whichever version: what comes from a caller is looked at before a database compares it with one. */
export const isUuid = (text: string): boolean => UUID.test(text);
