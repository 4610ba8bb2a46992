import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openapiYaml } from '../../../adapters/rest/openapi/document.js';
import type { ApiOperation, ApiResponse, JsonSchema } from '../../../adapters/rest/openapi/types.js';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { UNITS } from '../../../src/domain/prices.js';
import { PACKS } from '../../../src/domain/tiers.js';
import { fieldRows, SECTION_TWO, SILENT } from './section-two.js';
import { describedAt } from './subject.js';

const document = describedAt('https://perch.test');
const { schemas, responses } = document.components;

/** Every operation with its path and method. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const operationAt = (method: string, path: string): ApiOperation | undefined =>
  operations.find((each) => each.path === path && each.method === method)?.operation;

function responseOf(operation: ApiOperation | undefined, status: number): ApiResponse | undefined {
  const response = operation?.responses[String(status)];
  return response && '$ref' in response ? responses[response.$ref.split('/').at(-1) ?? ''] : response;
}

describe('the OpenAPI document (section 9.5)', () => {
  it('is OpenAPI 3.1 by the official JSON schema', async () => {
    const validator = new Validator();
    const result = await validator.validate({ ...structuredClone(document) });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('has version 0.3.0, the MIT licence, and the public addresses', () => {
    expect(document.info).toMatchObject({ version: '0.3.0', license: { identifier: 'MIT' } });
    expect(document.servers).toEqual([{ url: 'https://perch.test' }]);
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearer: { type: 'http', scheme: 'bearer' },
      oauth2: {
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://auth.perch.test/oauth/authorize',
            tokenUrl: 'https://auth.perch.test/api/oauth/token',
            refreshUrl: 'https://auth.perch.test/api/oauth/token',
            scopes: { read: expect.any(String) as string },
          },
        },
      },
    });
  });

  it('reads the same from its YAML, even with YAML 1.1', async () => {
    const text = await openapiYaml(describedAt('https://perch.test'));
    const plain: unknown = JSON.parse(JSON.stringify(document));
    expect(parse(text)).toEqual(plain);
    expect(parse(text, { version: '1.1' })).toEqual(plain);
  });

  it('names every operation once', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('uses the words of REST, not of GraphQL', () => {
    expect(JSON.stringify(document)).not.toMatch(/pageInfo|endCursor|`after`|`first`|scalar|field that|nodes/);
  });

  it('leaves objects open, because clients ignore what they do not know (section 9.2)', () => {
    expect(JSON.stringify(document)).not.toMatch(/additionalProperties|unevaluatedProperties/);
  });
});

describe.each(ROUTES)('$method $path', ({ method, path, statuses }) => {
  const operation = operationAt(method, path);

  it.each([200, 401, 429, 500, ...statuses])('lists %i', (status) => {
    expect(responseOf(operation, status)).toBeDefined();
  });

  it('serves every failure as JSON and as a problem, with the headers of section 8.1.5', () => {
    const failed = Object.keys(operation?.responses ?? {}).filter((status) => status !== '200');
    expect(failed.length).toBeGreaterThanOrEqual(3);
    for (const status of failed) {
      const response = responseOf(operation, Number(status));
      expect(response?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' });
      expect(response?.content?.['application/problem+json']?.schema).toEqual({ $ref: '#/components/schemas/Problem' });
      expect(Object.keys(response?.headers ?? {})).toEqual(
        expect.arrayContaining(['RateLimit-Policy', 'X-Request-Id']),
      );
    }
    expect(responseOf(operation, 429)?.headers).toHaveProperty('Retry-After');
  });

  it('states an item’s price, and takes a budget, exactly where credits can run out (M26)', () => {
    // Only what a watch delivers is paid for; making one needs credits and costs none.
    const isPaid = statuses.includes(402) && path !== '/v1/watches';
    const price = operation?.['x-price'];
    expect(price !== undefined).toBe(isPaid);
    expect(JSON.stringify(operation?.parameters ?? []).includes('/MaxCredits')).toBe(isPaid);
    if (price) {
      const { unit, credits, hit, fresh } = price;
      expect(UNITS).toHaveProperty(unit, expect.objectContaining({ price: credits * 1000 }) as object);
      expect([hit, fresh]).toEqual([credits / 2, credits * 2]);
      expect(operation?.description).toContain(`Costs ${credits} per item`);
    }
  });

  it('describes every parameter, and names those in its path', () => {
    const own = (operation?.parameters ?? []).flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
    for (const { description } of own.filter(({ in: where }) => where === 'query')) expect(description).toMatch(/\S/);
    const inPath = own.filter((parameter) => parameter.in === 'path' && parameter.required).map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });
});

describe('operations without a key (section 4)', () => {
  it.each(['/', '/status', '/openapi.yaml', '/problems', '/problems/{code}'])('%s', (path) => {
    expect(operationAt('GET', path)?.security).toEqual([]);
    expect(responseOf(operationAt('GET', path), 429)?.description).toContain('public');
  });

  it('has no 429 for health checks, which are never refused (L12)', () => {
    const check = operationAt('GET', '/healthz');
    expect(check?.security).toEqual([]);
    expect(responseOf(check, 429)).toBeUndefined();
  });
});

describe.each(Object.entries(SECTION_TWO))('%s (section 2)', (name, table) => {
  const rows = fieldRows(table);
  const { properties = {}, required = [] } = schemas[name] ?? {};

  it.each(rows)('has $name', ({ name: field, type }) => {
    const property = properties[field];
    expect(property?.type ?? property?.$ref?.split('/').at(-1)).toBe(type);
  });

  it('requires what section 2 requires, and nothing else if that says what is required', () => {
    const expected = rows.filter((row) => row.required).map((row) => row.name);
    if (SILENT.includes(name)) expect(required).toEqual(expect.arrayContaining(expected));
    else expect([...required].sort()).toEqual(expected.sort());
  });
});

describe('bounds and enumerations', () => {
  const parameter = (path: string, name: string): JsonSchema | undefined =>
    operationAt('GET', path)?.parameters?.flatMap((each) =>
      'name' in each && each.name === name ? [each.schema] : [],
    )[0];

  it.each([
    ['/v1/users/{user}/tweets', 20, 100],
    ['/v1/users/{user}/followers', 50, 200],
    ['/v1/users/{user}/followers/ids', 200, 200],
    ['/v1/users/{user}/following', 50, 200],
    ['/v1/tweets/search', 20, 50],
    ['/v1/tweets/{id}/quotes', 20, 50],
    ['/v1/tweets/{id}/retweeters', 50, 200],
    ['/v1/tweets/{id}/thread', 20, 50],
    ['/v1/tweets/{id}/replies', 20, 50],
  ])('%s: has a default count of %i and a maximum of %i (section 8, P6)', (path, initial, maximum) => {
    expect(parameter(path, 'count')).toEqual({
      ...{ type: 'integer', format: 'int32', minimum: 1, maximum, default: initial },
    });
  });

  it('lists the products of section 4, with Latest as the default', () => {
    const product = parameter('/v1/tweets/search', 'product');
    expect(product?.default).toBe('Latest');
    expect([...(product?.enum ?? [])].sort()).toEqual(['Latest', 'People', 'Photos', 'Top', 'Videos']);
  });

  it.each(['/v1/users/batch', '/v1/tweets/batch'])('%s takes 1 to 100 inputs, comma-separated', (path) => {
    const name = path.includes('users') ? 'handles' : 'ids';
    expect(parameter(path, name)).toMatchObject({ minItems: 1, maxItems: 100 });
    expect(schemas[path.includes('users') ? 'UsersBatchRequest' : 'TweetsBatchRequest']).toMatchObject({
      required: [name],
      properties: { [name]: { type: 'array', minItems: 1, maxItems: 100 } },
    });
  });

  it('lists the packs that can be bought', () => {
    expect(schemas.CheckoutRequest?.properties?.pack?.enum).toEqual(PACKS.map(({ name }) => name));
  });

  it('keeps `mixed` to batches', () => {
    expect([...(schemas.Meta?.properties?.cache?.enum ?? [])].sort()).toEqual(['bypass', 'hit', 'miss']);
    expect([...(schemas.BatchMeta?.properties?.cache?.enum ?? [])].sort()).toEqual(['bypass', 'hit', 'miss', 'mixed']);
  });

  it('lists the codes of a batch and of a failure', () => {
    expect(schemas.BatchError?.properties?.code?.enum).toHaveLength(8);
    expect(schemas.ErrorBody?.properties?.code?.enum).toHaveLength(15);
  });
});
