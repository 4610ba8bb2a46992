import type { Cache, SingleFlight } from '../../src/ports/cache.js';

/** Prefixes test mode's keys, so that they stay separate in stores that live reads also use, such as Redis. */
const apart = (key: string): string => `test:${key}`;

export const cacheApart = (cache: Cache): Cache => ({
  get: (key) => cache.get(apart(key)),
  getMany: (keys) => cache.getMany(keys.map(apart)),
  // Nothing is ever withdrawn in test mode.
  set: (key, cached, ttlMs, shows) => cache.set(apart(key), cached, ttlMs, shows?.map(apart)),
  delete: (keys) => cache.delete(keys.map(apart)),
  shows: (names) => cache.shows(names.map(apart)),
});

export const flightsApart = (flights: SingleFlight): SingleFlight => ({
  join: (key, read) => flights.join(apart(key), read),
});
