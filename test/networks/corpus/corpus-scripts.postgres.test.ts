import { describe, inject } from 'vitest';
import { scriptsSuite } from './scripts.suite.js';

describe('search in every script, on the server of this run', () => scriptsSuite(() => inject('postgres').server));
