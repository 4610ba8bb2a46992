import { type Environment, SETTING_NAMES, shownText, textOf } from './read-settings.js';
import { SETTINGS } from './settings.js';

export interface SettingLine {
  readonly name: string;
  readonly isSet: boolean;
  /** What is set, without logins and secrets, or in words what holds otherwise. */
  readonly value: string;
  /** What it may be: completes "must be …". */
  readonly right: string;
}

/** Every variable and what holds for it, for people (`perch doctor`): no secret, and no fault stops it. */
export const describeConfig = (env: Environment): SettingLine[] =>
  SETTING_NAMES.map((name) => {
    const { right, unset } = SETTINGS[name];
    const text = textOf(env, name);
    return { name, isSet: text !== undefined, value: text === undefined ? unset : shownText(name, text), right };
  });
