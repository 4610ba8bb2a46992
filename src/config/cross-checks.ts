import type { ConfigFault } from './read-settings.js';
import type { SettingName, Values } from './settings.js';

/** What no variable can say alone. Nothing is said of a variable that has a fault of its own, nor by comparing with one. */
export function crossChecks(values: Values, faulty: ReadonlySet<string>): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const check = (wrong: boolean, name: SettingName, other: SettingName, message: string) => {
    if (wrong && !faulty.has(name) && !faulty.has(other)) faults.push({ name, message });
  };
  const needs = (name: SettingName, other: SettingName) =>
    check(values[name] !== undefined && values[other] === undefined, name, other, `needs ${other} beside it`);

  const alone = values.WORKERS > 1 && values.REDIS_URL === undefined;
  check(alone, 'WORKERS', 'REDIS_URL', 'above 1 needs REDIS_URL: the processes share buckets and pace');

  needs('PERCH_SUNSET', 'PERCH_DEPRECATION');
  const early = (values.PERCH_SUNSET ?? Infinity) < (values.PERCH_DEPRECATION ?? -Infinity);
  check(early, 'PERCH_SUNSET', 'PERCH_DEPRECATION', 'must not be earlier than PERCH_DEPRECATION');

  needs('BLUESKY_IDENTIFIER', 'BLUESKY_APP_PASSWORD');
  needs('BLUESKY_APP_PASSWORD', 'BLUESKY_IDENTIFIER');
  needs('STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY');

  const sold = values.PERCH_NETWORK === 'x' && values.STRIPE_SECRET_KEY !== undefined;
  check(
    sold && values.X_AGREEMENT === undefined,
    'STRIPE_SECRET_KEY',
    'PERCH_NETWORK',
    "cannot be set while PERCH_NETWORK is x: X's agreement forbids to sell what is read. X_AGREEMENT=signed says that you have another one",
  );

  const noServer = values.PERCH_NETWORK === 'mastodon' && values.MASTODON_BASE_URL === undefined;
  check(noServer, 'MASTODON_BASE_URL', 'PERCH_NETWORK', 'is needed when PERCH_NETWORK is mastodon: one server');
  return faults;
}
