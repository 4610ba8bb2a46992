import { freshDatabase } from '../../kit/postgres/database.js';
import { watchLeasesSuite } from './suites/watch-leases.suite.js';
import { openWatchLeases } from './watch-stores.js';

watchLeasesSuite('postgres', () => openWatchLeases(freshDatabase));
