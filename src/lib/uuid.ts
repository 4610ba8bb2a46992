const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is a UUID of any version. A caller's text is checked before a database compares it with a UUID. */
export const isUuid = (text: string): boolean => UUID.test(text);
