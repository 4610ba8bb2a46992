import { describe } from 'vitest';
import { createMemorySingleFlight } from '../../../adapters/memory/single-flight.js';
import { flightsSuite } from './suites/single-flight.suite.js';

describe('flights in memory', () => {
  flightsSuite(async () => ({ flights: createMemorySingleFlight(), close: async () => {} }));
});
