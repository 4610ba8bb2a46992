import type { FastifyRequest } from 'fastify';
import { limitAddress, limitNetwork, plainAddress } from '../../src/access/address.js';
import type { Actor } from '../../src/domain/audit.js';

const AGENT_CHARS = 300;

/** Where a request comes from, in a form that people recognise. */
export const requestOrigin = ({ headers, ip }: FastifyRequest): { userAgent: string | null; address: string } => ({
  userAgent: headers['user-agent']?.slice(0, AGENT_CHARS) ?? null,
  address: plainAddress(ip),
});

/** The signed-in customer who sent the request, as the account's log names them. */
export const byCustomer = ({ ip }: FastifyRequest): Actor => ({ who: 'customer', address: plainAddress(ip) });

/** The address that a rate limit counts the request against. */
export const limitedAs = ({ ip }: FastifyRequest): string => limitAddress(ip);

/** The network whose share of a service-wide limit counts the request. */
export const networkOf = ({ ip }: FastifyRequest): string => limitNetwork(ip);
