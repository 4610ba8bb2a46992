import { describe } from 'vitest';
import { createMemoryFlights } from '../../adapters/memory/flights.js';
import { flightsSuite } from './flights.suite.js';

describe('flights in memory', () => {
  flightsSuite(async () => ({ flights: createMemoryFlights(), close: async () => {} }));
});
