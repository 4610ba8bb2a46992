import { openapiDocument } from '../../../adapters/rest/openapi/document.js';
import type { OpenapiDocument } from '../../../adapters/rest/openapi/types.js';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';

export const OPTIONS = {
  schema,
  operations: readOperations(),
  baseUrl: 'https://perch.test',
  authUrl: 'https://auth.perch.test',
};

export const describedAt = (baseUrl: string): OpenapiDocument => openapiDocument({ ...OPTIONS, baseUrl });
