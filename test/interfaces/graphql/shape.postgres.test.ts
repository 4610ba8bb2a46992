import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from './client.js';
import { MOUNTS, type Service, startService } from './service.js';

const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
/** `levels` of fields, the innermost `id`. */
const deep = (levels: number): string => {
  const between = levels - 2;
  return `{ tweet(id: "1") { ${'inReplyTo { '.repeat(between)} id ${'} '.repeat(between)} } }`;
};

describe.each(MOUNTS)('how large an operation may be (G11) (%s)', (mount) => {
  let service: Service;
  let account: Awaited<ReturnType<Service['perch']['account']>>;
  beforeAll(async () => {
    service = await startService({}, mount);
    account = await service.perch.account();
  });
  afterAll(() => service.close());

  const refused = async (query: string, why: RegExp): Promise<void> => {
    const { status, body } = await post(service.perch, account, query);
    expect([400, 422]).toContain(status);
    expect(body.errors[0]).toMatchObject({ message: expect.stringMatching(why), extensions: { code: 'bad_request' } });
    expect(body.data).toBeUndefined();
  };
  const accepted = async (query: string): Promise<void> => {
    const { status, body } = await post(service.perch, account, query);
    expect([status, body.errors]).toEqual([200, undefined]);
  };

  it('allows 10 levels', async () => {
    await accepted(deep(10));
    await refused(deep(11), /11 levels.*10/);
  });

  it('allows 10 levels, counted through fragments', async () => {
    const spread = `query { tweet(id: "1") { ...A } } fragment A on Tweet { inReplyTo { ...B } } fragment B on Tweet {
      inReplyTo { inReplyTo { inReplyTo { inReplyTo { inReplyTo { inReplyTo { inReplyTo { inReplyTo { id } } } } } } } } }`;
    await refused(spread, /11 levels/);
  });

  it('allows 30 aliases, however often a fragment is spread', async () => {
    const aliased = (count: number) => `{ tweet(id: "1") { ${times(count, (i) => `a${i}: id`)} } }`;
    await accepted(aliased(30));
    await refused(aliased(31), /31 aliases.*30/);
    const spread = `{ ${times(4, (i) => `t${i}: tweet(id: "1") { ...A }`)} } fragment A on Tweet { ${times(7, (i) => `a${i}: id`)} }`;
    await refused(spread, /32 aliases/);
  });

  it('allows 10 root fields, including those in fragments', async () => {
    await accepted(`{ ${times(10, () => '__typename')} }`);
    const fields = (count: number) => times(count, (i) => `a${i}: tweet(id: "${i + 1}") { id }`);
    await accepted(`{ ${fields(10)} }`);
    await refused(`{ ${fields(11)} }`, /11 root fields.*10/);
    await refused(`{ ...All } fragment All on Query { ${fields(11)} }`, /11 root fields.*10/);
    await refused(
      `{ ... on Query { ${fields(6)} } ...More } fragment More on Query { ${times(6, (i) => `b${i}: tweet(id: "${i + 1}") { id }`)} }`,
      /12 root fields/,
    );
  });

  it('allows 2,000 tokens and 32 KiB', async () => {
    const long = (fields: number) =>
      `{ ${times(10, (i) => `a${i}: tweet(id: "${i + 1}") { ${'id '.repeat(fields)} }`)} }`;
    await accepted(long(189));
    await refused(long(200), /2000 tokens/);
    await accepted(`{ tweet(id: "1") { id } } #${'x'.repeat(32_000)}`);
    await refused(`{ tweet(id: "1") { id } } #${'x'.repeat(33_000)}`, /32768 bytes/);
  });

  it('allows one operation, and no array of them', async () => {
    const response = await fetch(`${service.perch.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': account.key },
      body: '[{"query":"{__typename}"},{"query":"{__typename}"}]',
    });
    expect(response.status).toBe(400);
  });

  it('limits introspection by tokens and bytes, not by depth, because tools need it whole', async () => {
    await accepted(`{ __schema { types { fields { type { ${'ofType { '.repeat(9)} name ${'} '.repeat(9)} } } } } }`);
  });

  it('refuses fragments that go in a circle, and does not follow them', async () => {
    await refused(
      '{ tweet(id: "1") { ...A } } fragment A on Tweet { inReplyTo { ...B } } fragment B on Tweet { quoted { ...A } }',
      /within itself|itself/,
    );
  });
});
