import { openStandIn as openBluesky } from './bluesky/stand-in.js';
import { loadSuite } from './contract/load.suite.js';
import { openMastodon } from './mastodon/stand-in.js';
import { openStandIn as openX } from './x/support/stand-in.js';

loadSuite('bluesky', openBluesky);
loadSuite('x', () => openX('tweet'));
loadSuite('mastodon', () => openMastodon({ withToken: true }));
