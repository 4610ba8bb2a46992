import { readFileSync } from 'node:fs';
import { buildSchema, getDirectiveValues, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';

const BROWSER = new URL('../../adapters/pages/graphiql/browser/', import.meta.url);
const { priceIn } = (await import(new URL('prices.js', BROWSER).href)) as {
  priceIn(description: string | null | undefined): string | null;
};

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
const price = schema.getDirective('price');
const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith('__'))
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })));

describe('the price that GraphiQL shows beside a field', () => {
  it('is that of its @price directive, and absent without one', () => {
    if (!price) throw new Error('the schema has no @price');
    const shown = fields.map(({ name, field }) => [
      name,
      /^([\d.]+) credits? each$/.exec(priceIn(field.description) ?? '')?.[1],
    ]);
    const said = fields.map(({ name, field }) => {
      const credits = field.astNode ? getDirectiveValues(price, field.astNode)?.credits : undefined;
      return [name, credits === undefined ? undefined : String(credits)];
    });
    expect(said.filter(([, credits]) => credits !== undefined).length).toBeGreaterThan(15);
    expect(shown).toEqual(said);
  });

  it('is shown, or “free”, beside every field of Query', () => {
    const without = fields.filter(
      ({ name, field }) => name.startsWith('Query.') && priceIn(field.description) === null,
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});
