import { networkSuite } from '../contract/suite.js';
import { openStandIn } from './stand-in.js';

networkSuite('bluesky', openStandIn);
