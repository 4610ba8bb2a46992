/** Introspection by tools is checked and executed once, in whatever spelling it comes. */
import { getIntrospectionQuery, Kind, parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../schema/index.js';
import { Documents } from '../../../src/documents/documents.js';

const documents = () => new Documents(schema);
const QUERY = getIntrospectionQuery();

describe('introspection', () => {
  it.each([
    ['without its white space', QUERY.replaceAll(/\s+/g, ' ')],
    ['under another name', QUERY.replace('IntrospectionQuery', 'Mine')],
    ['with a comment', `# of a tool\n${QUERY}`],
  ])('%s is the one prepared before, with the same answer', async (_, text) => {
    const all = documents();
    const first = all.find({ text: QUERY });
    const second = all.find({ text });
    expect(second).toBe(first);
    expect((await second.run(null, {})).data).toBe((await first.run(null, {})).data);
  });

  it('is answered with its types’ names in every object, as caches of clients add them', async () => {
    const withNames = print(
      visit(parse(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, schemaDescription: true })), {
        SelectionSet: (set, _, parent) =>
          parent !== undefined && 'operation' in parent
            ? undefined
            : {
                ...set,
                selections: [...set.selections, { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }],
              },
      }),
    );
    const operation = documents().find({ text: withNames });
    expect((await operation.run(null, {})).errors).toBeUndefined();
  });

  it('is rendered once, and has its data as JSON', async () => {
    const operation = documents().find({ text: QUERY });
    const [first, second] = [await operation.run(null, {}), await operation.run(null, {})];
    expect(JSON.parse(first.dataText ?? '')).toEqual(JSON.parse(JSON.stringify(first.data)));
    expect(second.dataText).toBe(first.dataText);
  });

  it.each([
    ['of something else', '{ __type(name: "User") { name } }'],
    ['beside another operation', `${QUERY} query Other { __typename }`],
  ])('%s is a different one', (_, text) => {
    const all = documents();
    const first = all.find({ text: QUERY });
    expect(all.find({ text, operationName: text.includes('Other') ? 'IntrospectionQuery' : null })).not.toBe(first);
  });

  it('does not use the name that a caller gave it', () => {
    const all = documents();
    const text = QUERY.replace('IntrospectionQuery', 'SomebodyElse');
    expect([all.find({ text }).name, all.find({ text: QUERY }).name]).toEqual(['introspection', 'introspection']);
    expect(all.find({ text: 'query Own { me { balance } }' }).name).toBe('Own');
  });

  it('is prepared once together with another operation', () => {
    const all = documents();
    const find = () => all.find({ text: `${QUERY} query Other { __typename }`, operationName: 'IntrospectionQuery' });
    expect(find()).toBe(find());
  });

  it('has another answer with other variables', async () => {
    const text = 'query ($name: String!) { __type(name: $name) { name } }';
    const operation = documents().find({ text });
    const named = async (name: string) => (await operation.run(null, operation.coerce({ name }))).data;
    expect(await named('User')).toEqual({ __type: { name: 'User' } });
    expect(await named('Tweet')).toEqual({ __type: { name: 'Tweet' } });
  });

  it.each([
    ['empty lists', 'args { name }'],
    ['objects', 'type { kind }'],
    ['nothing', 'type { ofType { kind } }'],
  ])('is refused before it has more than 256 KiB, even of %s', async (_, field) => {
    const sizes = [];
    try {
      for (let times = 1; ; times += 1) {
        const fields = Array.from({ length: times }, (__, nth) => `with_a_long_alias_${nth}: ${field}`);
        const operation = documents().find({ text: `{ __schema { types { fields { ${fields.join(' ')} } } } }` });
        sizes.push((await operation.run(null, {})).dataText?.length ?? 0);
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('introspection result') });
    }
    expect(sizes.at(-1)).toBeGreaterThan(200 * 1024);
    expect(sizes.at(-1)).toBeLessThanOrEqual(256 * 1024);
  });

  it('is still refused if it is wrong next to known fields', () => {
    const all = documents();
    all.find({ text: QUERY });
    const wrong = `${QUERY} query Other { nothing }`;
    expect(() => all.find({ text: wrong, operationName: 'IntrospectionQuery' })).toThrow(/nothing/);
  });
});
