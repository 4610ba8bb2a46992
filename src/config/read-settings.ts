import { SETTINGS, type SettingName, type Values } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One fault of the environment, by the variable's name. */
export interface ConfigFault {
  readonly name: string;
  readonly message: string;
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The text of a variable; an empty or blank one counts as not set. */
export const readVariable = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

/** An address that is safe to show: without its user name, password and query. */
export const withoutLogin = (address: string): string =>
  address.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/\?.*/s, '');

/** Hides only the user name and password, and keeps the query. */
function withoutName(address: string): string {
  const [from, to] = [address.indexOf('://'), address.lastIndexOf('@')];
  return from === -1 || to < from + 3 ? address : `${address.slice(0, from)}://…${address.slice(to)}`;
}

/** The part of a value that may be shown: a store's address without login and query, no part of a secret. */
export function shownText(name: SettingName, text: string): string {
  const { shown } = SETTINGS[name];
  if (shown === 'never') return '(not shown)';
  if (shown === 'all') return withoutName(text);
  return text
    .split(/,(?=\w+:\/\/)/)
    .map(withoutLogin)
    .join(',');
}

/** Reads every variable by its own rule; the values are complete only if there are no faults. */
export function readSettings(env: Environment): { values: Values; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of SETTING_NAMES) {
    const row = SETTINGS[name];
    const text = readVariable(env, name);
    const read = text ?? ('fallback' in row ? row.fallback : undefined);
    if (read === undefined) continue;
    const result = row.kind.safeParse(read);
    if (result.success) values[name] = result.data;
    else faults.push({ name, message: `must be ${row.right}, not ${JSON.stringify(shownText(name, read))}` });
  }
  return { values: values as Values, faults };
}
