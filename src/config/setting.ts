import { oneOf, type SettingKind, whole } from './kinds.js';

/** One environment variable: the format of its text, in code and in words, and what applies if it is not set. */
export interface Setting<T> {
  /** For docs/environment.md. */
  readonly meaning: string;
  readonly kind: SettingKind<T>;
  /** Completes "must be …". */
  readonly right: string;
  /** In words, what applies if it is not set. */
  readonly unset: string;
  /** How much of its value may be shown: addresses can contain a password. */
  readonly shown: 'all' | 'address' | 'never';
}

/** A setting with a default: this text, parsed like any other. */
export interface Defaulted<T> extends Setting<T> {
  readonly fallback: string;
}

const row =
  (shown: Setting<unknown>['shown']) =>
  <T>(meaning: string, kind: SettingKind<T>, right: string, unset: string): Setting<T> => ({
    meaning,
    kind,
    right,
    unset,
    shown,
  });

export const optional = row('all');
export const secret = row('never');
export const store = row('address');

export const setting = <T>(meaning: string, kind: SettingKind<T>, right: string, fallback: string): Defaulted<T> => ({
  ...optional(meaning, kind, right, fallback),
  fallback,
});

export const choice = <const T extends readonly string[]>(
  meaning: string,
  values: T,
  fallback: T[number],
): Defaulted<T[number]> => setting(meaning, oneOf(values), `one of ${values.join(', ')}`, fallback);

export const lifetime = (meaning: string, defaultMs: number): Defaulted<number> =>
  setting(meaning, whole(0, 86_400), 'whole seconds from 0 (cache nothing) to 86400', String(defaultMs / 1000));

export const BASE_URL = 'an http or https URL without query or fragment';
