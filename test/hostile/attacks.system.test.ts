import { ATTACKS } from './attacks.js';
import { describeAttacks } from './support/suite.js';

// In one file, so that two services and two attackers never share the machine.
describeAttacks('yoga', ATTACKS);
// Whatever is not a document is the same code beside either mount; `npm run hostile -- --mount mercurius` has all of it.
describeAttacks(
  'mercurius',
  ATTACKS.filter(({ over }) => over === 'GraphQL'),
);
