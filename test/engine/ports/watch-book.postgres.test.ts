import { freshDatabase } from '../../kit/postgres/database.js';
import { watchBookSuite } from './suites/watch-book.suite.js';
import { openWatchBook } from './watch-stores.js';

watchBookSuite('postgres', () => openWatchBook(freshDatabase));
