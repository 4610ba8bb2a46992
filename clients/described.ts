import { openapiDocument } from '../adapters/rest/openapi/document.js';
import type { OpenapiDocument } from '../adapters/rest/openapi/types.js';
import { schema } from '../schema/index.js';
import { readOperations } from '../schema/operations.js';

/** What both clients are generated from: the OpenAPI document. Its addresses are examples. */
export const describedOpenapi = (): OpenapiDocument =>
  openapiDocument({
    schema,
    operations: readOperations(),
    baseUrl: 'https://perch.example',
    authUrl: 'https://perch.example',
  });
