import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from './support/service.js';

const PATHS = ['/v1/me', '/v1/users/user1', '/v1/users/nobody', '/v1/users/user1?fresh=x', '/v1/nothing'];

describe('section 9: a version that is current', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill: (net) => void net.users([1]) });
  });
  afterAll(() => service.close());

  it.each(PATHS)('9.4: sends no notice with %s', async (path) => {
    const { headers } = await (await service.customer()).get(path);
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull();
  });
});

describe('section 9.3: a version that is deprecated', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: {
        PERCH_DEPRECATION: '2030-01-31',
        PERCH_SUNSET: '2031-02-28T12:00:00Z',
        PERCH_DEPRECATION_URL: 'https://perch.example/moving-to-v2',
      },
      fill: (net) => void net.users([1]),
    });
  });
  afterAll(() => service.close());

  const notice = {
    deprecation: 'Thu, 31 Jan 2030 00:00:00 GMT',
    sunset: 'Fri, 28 Feb 2031 12:00:00 GMT',
    link: '<https://perch.example/moving-to-v2>; rel=deprecation',
  };

  it.each(PATHS)('is announced by %s, whatever the answer', async (path) => {
    const { headers } = await (await service.customer()).get(path);
    for (const [name, value] of Object.entries(notice)) expect(headers.get(name)).toBe(value);
  });

  it('is announced with 401 and 405, too', async () => {
    for (const reply of [await service.nobody.get('/v1/me'), await service.nobody.send('PUT', '/v1/me')]) {
      for (const [name, value] of Object.entries(notice)) expect(reply.headers.get(name)).toBe(value);
    }
  });

  it('is not announced outside /v1', async () => {
    const { headers } = await service.nobody.get('/healthz');
    for (const name of Object.keys(notice)) expect(headers.get(name)).toBeNull();
  });
});
