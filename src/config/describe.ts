import { type Environment, readVariable, SETTING_NAMES, shownText } from './read-settings.js';
import { SETTINGS } from './settings.js';

export interface SettingLine {
  readonly name: string;
  readonly isSet: boolean;
  /** The value without logins and secrets, or the default in words. */
  readonly value: string;
  /** What is allowed: completes "must be …". */
  readonly right: string;
}

/**
 * Every variable and its current value, for `perch doctor`. Shows no secret, and works even if a value is invalid.
 */
export const describeConfig = (env: Environment): SettingLine[] =>
  SETTING_NAMES.map((name) => {
    const { right, unset } = SETTINGS[name];
    const text = readVariable(env, name);
    return { name, isSet: text !== undefined, value: text === undefined ? unset : shownText(name, text), right };
  });
