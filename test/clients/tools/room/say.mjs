export const { PERCH_URL: url = '', PERCH_KEY: key = '' } = process.env;
export const headers = { 'x-api-key': key };

/** Makes the tool read a profile, two pages and a missing profile, and wait after a 429; prints as JSON what it got. */
export async function say({ user, page, codeOf, balance, also, close }) {
  const handle = await user('harbor_obs');
  const first = await page('harbor_obs', 3);
  const second = await page('harbor_obs', 3, first.cursor);
  const refusal = await user('nobody_sits_here').then(() => 'none', codeOf);
  const more = await also?.();
  const waited = balance && (await Promise.all(Array.from({ length: 20 }, (_, call) => balance(call)))).length;
  console.log(JSON.stringify({ handle, ids: [...first.ids, ...second.ids], refusal, waited, ...more }));
  await close?.();
}
