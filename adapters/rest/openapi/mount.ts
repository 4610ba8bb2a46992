import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { lazily } from '../../../src/lib/lazily.js';
import { prefers } from '../../http/accept.js';
import { sendStatic, staticBody } from '../../http/bodies/static-body.js';
import { type AdmitPublic, createPublic, negotiated } from '../../http/keyless.js';
import { boolean } from '../values.js';
import { openapiDocument, openapiYaml } from './document.js';
import { forGenerators } from './published.js';
import type { OpenapiDocument } from './types.js';

interface DescribeOptions {
  /** The address of consent and tokens; null if it is the base address. */
  readonly authUrl: string | null;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/**
 * Returns a function that makes the document once, when first called: the public address is known only after the start.
 */
export function describes(app: FastifyInstance, { authUrl, ...described }: DescribeOptions): () => OpenapiDocument {
  let document: OpenapiDocument | undefined;
  return () => {
    document ??= openapiDocument({ ...described, baseUrl: app.baseUrl, authUrl: authUrl ?? app.baseUrl });
    return document;
  };
}

export interface OpenapiMountOptions {
  readonly admitPublic: AdmitPublic;
  readonly describe: () => OpenapiDocument;
}

/** The path of the reference for people. */
const REFERENCE = '/docs/api';

/**
 * `/openapi.yaml` and `/openapi.json`; with `?estimates=true`, the whole document. Its ETag saves repeated downloads. A
 * browser is redirected to the reference, except when it follows the download link there.
 */
export function mountOpenapi(app: FastifyInstance, { admitPublic, describe }: OpenapiMountOptions): void {
  const keyless = createPublic(app, admitPublic);
  const add = (name: string, type: string, write: (document: OpenapiDocument) => Promise<string>): void => {
    const whole = lazily(async () => staticBody(type, await write(describe())));
    const usual = lazily(async () => staticBody(type, await write(forGenerators(describe()))));
    const send = negotiated(async (request, reply) => {
      const { download, estimates = 'false' } = request.query as Readonly<Record<string, string>>;
      if (isForPeople(request) && download === undefined) return reply.redirect(REFERENCE, 303);
      if (download !== undefined) asFile(reply, name);
      return sendStatic(request, reply, await (boolean('estimates', String(estimates)) ? whole : usual).get());
    });
    keyless(`/${name}`, send);
  };
  add('openapi.yaml', 'application/yaml; charset=utf-8', openapiYaml);
  add('openapi.json', 'application/json; charset=utf-8', async (document) => JSON.stringify(document));
}

const isForPeople = ({ headers }: FastifyRequest): boolean => prefers(headers.accept, 'text/html');

const asFile = (reply: FastifyReply, name: string): FastifyReply =>
  reply.header('Content-Disposition', `attachment; filename="${name}"`);
