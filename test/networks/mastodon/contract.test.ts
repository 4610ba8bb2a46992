import { networkSuite } from '../contract/suite.js';
import { openMastodon } from './stand-in.js';

networkSuite('mastodon', () => openMastodon({ withToken: true }));
networkSuite('mastodon without a token', () => openMastodon({ withToken: false }));
