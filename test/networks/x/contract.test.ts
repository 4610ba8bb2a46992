import { networkSuite } from '../contract/suite.js';
import { openStandIn } from './support/stand-in.js';

networkSuite('x', () => openStandIn('tweet'));
networkSuite('x in the vocabulary of posts', () => openStandIn('post'));
