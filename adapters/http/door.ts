import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Visitor } from '../../src/sign-in/sessions.js';

/** Who is signed in, by the session's cookie. The only place that reads or sets it. */
export interface Door {
  /** Whose session the request belongs to; null when nobody is signed in. */
  visitor(request: FastifyRequest): Promise<Visitor | null>;
  /** Lets the browser in: `token` is the session's secret, which the cookie carries until `expiresAt` (Unix milliseconds). */
  open(reply: FastifyReply, session: { readonly token: string; readonly expiresAt: number }): void;
  /** Takes the cookie back. */
  shut(reply: FastifyReply): void;
}
