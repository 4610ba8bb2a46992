/** The Postman collection that openapi-to-postmanv2 makes of the OpenAPI document, run by Newman; prints what was refused. */
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import newman from 'newman';
import postman from 'openapi-to-postmanv2';
import { key, url } from '../say.mjs';

// By default it makes up values for required parameters, and sends the optional ones, too.
const options = { enableOptionalParameters: false, parametersResolution: 'Example' };
const openapi = { type: 'string', data: readFileSync('../openapi.json', 'utf8') };
const { output } = await promisify(postman.convertV2)(openapi, options);
const envVar = Object.entries({ baseUrl: url, apiKey: key }).map(([name, value]) => ({ key: name, value }));
const { run } = await promisify(newman.run)({ collection: output[0].data, envVar, delayRequest: 100 });
const refused = run.executions.filter(({ response }) => response.code !== 200);
console.log(JSON.stringify({ refused: refused.map(({ item, response }) => `${item.name}: ${response.code}`) }));
