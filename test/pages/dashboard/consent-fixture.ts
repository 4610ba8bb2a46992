import type { ConsentModel } from '../../../adapters/oauth/consent-page.js';
import { BUSY } from './fixture.js';

/** A hosted client asks for consent. */
export const CONSENT: ConsentModel = {
  authRequest: {
    client: {
      clientId: '0192f3c1-7a54-7c11-9a51-3f0d5a6b7c8d',
      name: 'Reading Room',
      uri: 'https://reading-room.example',
      redirectUris: ['https://reading-room.example/callback'],
    },
    redirectUri: 'https://reading-room.example/callback',
    redirectNamed: true,
    state: 'st',
    challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    resource: null,
  },
  account: BUSY.account,
  email: BUSY.account.email,
  fields: [],
  cap: { amount: '100', period: 'day' },
  fault: null,
  switched: false,
};
