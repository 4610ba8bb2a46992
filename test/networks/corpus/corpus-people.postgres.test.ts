import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Corpus, freshCorpus, idsOf } from './corpus-fixture.js';

describe('People by a typed part of a name', () => {
  let people: Corpus;
  const found = async (q: string) => idsOf(await people.search(q, 'People'));
  beforeAll(async () => {
    people = await freshCorpus();
    await people.user({ id: 1, handle: 'jperez', name: 'José Pérez', followers: 10 });
    await people.user({ id: 2, handle: 'jose_luis', name: 'Luis', followers: 500 });
    await people.user({ id: 3, handle: 'harbour_obs', name: 'Harbour Observatory', followers: 70 });
    await people.user({ id: 4, handle: 'harbinger', name: 'News', bio: 'Observations of Josef', followers: 900 });
    await people.user({ id: 5, handle: 'Мария', name: 'Алёна Řehoř', followers: 1 });
  });
  afterAll(() => people.drop());

  it.each<[string, string[]]>([
    ['jose', ['2', '1']],
    ['JOSÉ', ['2', '1']],
    ['"jose perez"', ['1']],
    ['алена', ['5']],
    ['rehor', ['5']],
    ['harb', ['4', '3']],
    ['harbour_o', ['3']],
    ['obs', ['3']],
    ['observ', ['3']],
    ['harb -harbinger', ['3']],
    ['jo -jos', ['2', '1']],
    ['jo -(jos OR luis)', ['1']],
    ['jo -jose', []],
    ['harb -(observ -harbour)', ['4', '3']],
    ['harbuor', ['3']],
    ['harbuor -observatary', ['3']],
    ['harbuor -observatory', []],
    ['habour', ['3']],
    ['harbxour', ['3']],
    ['harbxor', []],
    ['jsoe', ['2', '1']],
    ['jso', []],
    ['josef', ['4']],
    ['jperex OR nobody_like_that', ['1']],
  ])('%s', async (q, ids) => {
    expect(await found(q)).toEqual(ids);
  });

  it('walks pages of matches with a typing error, each once', async () => {
    await people.sql`insert into corpus_users (id, handle, name, followers)
      select n, 'tester' || n, 'Windmill', n % 7 from generate_series(101, 220) n`;
    const { ids } = await people.walk({ kind: 'search', subject: 'wimdmill', product: 'People' });
    expect(new Set(ids).size).toBe(120);
    expect(ids).toHaveLength(120);
  });
});
