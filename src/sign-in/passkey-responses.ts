import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { badRequest } from '../domain/errors.js';

const text = z.string().max(32_768);
const base64url = text.regex(/^[\w-]+$/);

/** The members that the library reads; it validates their contents itself. */
const credential = { id: base64url.max(1400), rawId: base64url.max(1400), type: z.literal('public-key') };

const registration = z.object({
  ...credential,
  clientExtensionResults: z.looseObject({}).default({}),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(8)
      .optional(),
  }),
});

const authentication = z.object({
  ...credential,
  clientExtensionResults: z.looseObject({}).default({}),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish().transform((handle) => handle ?? undefined),
  }),
});

/** A browser's answer to `registrationOptions`. Throws `bad_request` for anything else. */
export const registrationOf = (given: unknown): RegistrationResponseJSON =>
  parsed(registration, given) as RegistrationResponseJSON;

/** A browser's answer to `signInOptions`. Throws `bad_request` for anything else. */
export const authenticationOf = (given: unknown): AuthenticationResponseJSON =>
  parsed(authentication, given) as AuthenticationResponseJSON;

const clientData = z.object({ challenge: text });

/** The challenge that was answered; empty if the data contains none. */
export function challengeOf(clientDataJson: string): string {
  try {
    return clientData.parse(JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'))).challenge;
  } catch {
    return '';
  }
}

function parsed<T>(shape: z.ZodType<T>, given: unknown): T {
  const { success, data } = shape.safeParse(given);
  if (success) return data;
  throw badRequest('Invalid passkey response.', 'response');
}
