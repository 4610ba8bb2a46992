import type { ConfigFault } from './read-settings.js';
import type { SettingName, Values } from './settings.js';

/** Rules that involve several variables. A variable with a fault of its own is neither reported nor compared with. */
export function crossChecks(values: Values, faulty: ReadonlySet<string>): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const check = (wrong: boolean, name: SettingName, other: SettingName, message: string) => {
    if (wrong && !faulty.has(name) && !faulty.has(other)) faults.push({ name, message });
  };
  const needs = (name: SettingName, other: SettingName) =>
    check(values[name] !== undefined && values[other] === undefined, name, other, `also needs ${other}`);

  const alone = values.WORKERS > 1 && values.REDIS_URL === undefined;
  check(alone, 'WORKERS', 'REDIS_URL', 'above 1 needs REDIS_URL: the processes share rate limits and pace');

  // Section 9.3 promises all three headers, or none.
  const notices = ['PERCH_DEPRECATION', 'PERCH_SUNSET', 'PERCH_DEPRECATION_URL'] as const;
  for (const name of notices) for (const other of notices) if (name !== other) needs(name, other);
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
    'cannot be set while PERCH_NETWORK is x: the X agreement forbids selling what is read. Set X_AGREEMENT=signed if you have a different agreement',
  );

  const noServer = values.PERCH_NETWORK === 'mastodon' && values.MASTODON_BASE_URL === undefined;
  check(
    noServer,
    'MASTODON_BASE_URL',
    'PERCH_NETWORK',
    'is required when PERCH_NETWORK is mastodon: the address of one server',
  );
  return faults;
}
