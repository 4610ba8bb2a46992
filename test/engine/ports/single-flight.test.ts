import { describe } from 'vitest';
import { createMemorySingleFlight } from '../../../adapters/memory/pace.js';
import { flightsSuite } from './suites/single-flight.suite.js';

describe('flights in memory', () => {
  flightsSuite(async () => ({ flights: createMemorySingleFlight(), close: async () => {} }));
});
