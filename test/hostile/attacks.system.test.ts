import { ATTACKS } from './attacks.js';
import { describeAttacks } from './support/suite.js';

// In one file, so that two services and two attackers never share the machine.
describeAttacks('yoga', ATTACKS);
// Everything but documents runs the same code on either mount. `npm run hostile -- --mount mercurius` runs all of it.
describeAttacks(
  'mercurius',
  ATTACKS.filter(({ over }) => over === 'GraphQL'),
);
