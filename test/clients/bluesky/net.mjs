import { writeFileSync } from 'node:fs';
import { mockMailer, TestNetwork } from '@atproto/dev-env';
import sharp from 'sharp';

const USERS = Number(process.env.SEED_USERS ?? 30),
  POSTS = Number(process.env.SEED_POSTS ?? 60);
const network = await TestNetwork.create({
  dbPostgresSchema: 'atp',
  pds: { port: 2583, hostname: 'localhost', enableDidDocWithSession: true },
  bsky: { port: 2584, dbPostgresSchema: 'bsky', publicUrl: 'http://localhost:2584' },
  plc: { port: 2582 },
  ozone: { port: 2587 },
});
mockMailer(network.pds);
const sc = network.getSeedClient();
const img = await sharp({ create: { width: 64, height: 64, channels: 3, background: { r: 40, g: 90, b: 200 } } })
  .png()
  .toBuffer();
const names = ['alice', 'bob', 'carol', 'dan', ...Array.from({ length: Math.max(0, USERS - 4) }, (_, i) => `user${i}`)];
for (const n of names) {
  await sc.createAccount(n, { handle: `${n}.test`, email: `${n}@test.com`, password: 'hunter2-hunter2' });
  const avatar = (
    await sc.agent.com.atproto.repo.uploadBlob(img, { headers: sc.getHeaders(sc.dids[n]), encoding: 'image/png' })
  ).data.blob;
  await sc.agent.app.bsky.actor.profile.create(
    { repo: sc.dids[n] },
    { displayName: `${n} display`, description: `I am ${n}.`, avatar, createdAt: new Date().toISOString() },
    sc.getHeaders(sc.dids[n]),
  );
}
const { alice, bob, carol, dan } = sc.dids;
for (const n of names) if (n !== 'alice') await sc.follow(sc.dids[n], alice);
for (const n of names.slice(1, 11)) await sc.follow(alice, sc.dids[n]);
const posts = [];
for (let i = 0; i < POSTS; i++) posts.push(await sc.post(alice, `alice post number ${i} about #topic${i % 7}`));
const root = posts.at(-1).ref;
const r1 = await sc.reply(bob, root, root, 'direct reply by bob');
const r2 = await sc.reply(carol, root, root, 'direct reply by carol');
const r3 = await sc.reply(alice, root, r1.ref, 'nested reply by alice to bob');
const r4 = await sc.reply(dan, root, r3.ref, 'nested reply by dan');
const q1 = await sc.post(bob, 'quote by bob', undefined, undefined, root);
const q2 = await sc.post(carol, 'quote by carol', undefined, undefined, root);
for (const n of names.slice(1, 21)) {
  await sc.repost(sc.dids[n], root);
  await sc.like(sc.dids[n], root);
}
await network.processAll(60000);
writeFileSync(
  new URL('../../e2e/bluesky/seed.json', import.meta.url),
  JSON.stringify({
    appview: network.bsky.url,
    dids: sc.dids,
    root: root.uriStr,
    posts: posts.map((p) => p.ref.uriStr),
    replies: [r1, r2, r3, r4].map((r) => r.ref.uriStr),
    quotes: [q1, q2].map((p) => p.ref.uriStr),
  }),
);
console.log(`READY ${network.bsky.url}`);
for (const s of ['SIGINT', 'SIGTERM'])
  process.on(s, async () => {
    await network.close();
    process.exit(0);
  });
