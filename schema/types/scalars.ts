import { GraphQLError } from 'graphql';
import { builder } from '../builder.js';

function safeInteger(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('Count must be a whole number of at most 9007199254740991.');
}

builder.scalarType('Count', {
  description: 'A whole number that may exceed 2^31, exact up to 2^53 − 1. Free.',
  serialize: safeInteger,
  parseValue: safeInteger,
});

builder.scalarType('Credits', {
  description: 'An amount of credits: at most three decimals.',
  serialize: (value) => Number(value),
  parseValue(value) {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw new GraphQLError('Credits must be a number with at most three decimals.');
  },
});

builder.scalarType('DateTime', {
  description: 'A date and time: RFC 3339, UTC, with milliseconds, such as 2026-11-21T09:30:00.000Z.',
  serialize: (value) => String(value),
  parseValue(value) {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
    throw new GraphQLError('DateTime must be an RFC 3339 string.');
  },
});
