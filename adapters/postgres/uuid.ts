const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether Postgres would take it as a uuid: what comes from a caller is looked at before it is compared with one. */
export const isUuid = (text: string): boolean => UUID.test(text);
