import { openStandIn as openBluesky } from './bluesky/stand-in.js';
import { serviceSuite } from './contract/service.suite.js';
import { openMastodon } from './mastodon/stand-in.js';
import { openStandIn as openX } from './x/support/stand-in.js';

serviceSuite('bluesky', openBluesky);
serviceSuite('x', () => openX('tweet'));
serviceSuite('mastodon', () => openMastodon({ withToken: true }));
