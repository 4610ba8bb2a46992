/** How posts spread: quotes with a comment, and retweets. */
import type { DemoAccount } from './account.js';
import { afterwards, choiceKey, fitting, type Talk } from './conversations.js';
import { type Draft, draft } from './draft.js';
import { Urn } from './random.js';
import { CHORUS } from './vocabulary.js';
import { LONGEST_TEXT } from './writer.js';

/** More followers and pictures spread a post farther. */
const travels = (posts: readonly Draft[], talk: Talk, steepness: number): Urn<Draft> =>
  new Urn(
    posts,
    ({ author, media, parent }) =>
      talk.society.followersCount(author) ** steepness *
      talk.chance.skewed(0, 1.1) *
      (media === null ? 1 : 1.7) *
      (parent === null ? 1 : 0.02),
  );

export function makeQuotes(posts: readonly Draft[], count: number, talk: Talk): Draft[] {
  const { chance, society, writer } = talk;
  const openings = posts.filter(({ parent, topic }) => parent === null && topic !== null);
  const urn = travels(openings, talk, 0.5);
  const drafts: Draft[] = [];
  for (let tries = 0; drafts.length < count && tries < count * 4; tries += 1) {
    const quoted = urn.draw(chance);
    const { topic } = quoted;
    const atMs = afterwards(quoted.atMs, 150, talk);
    if (topic === null || atMs === null) continue;
    const comment = fitting(topic.subject.comments, quoted, talk);
    const general = CHORUS.quotes.filter((line) => !topic.said.has(line));
    const template = comment !== null && chance.happens(0.75) ? comment.text : general[chance.int(general.length || 1)];
    if (template === undefined || (quoted.lang !== 'en' && template !== comment?.text)) continue;
    topic.said.add(template === comment?.text ? choiceKey(comment) : template);
    const author = society.reader(quoted.author, chance);
    const text = writer.adorned(writer.say(template, author, topic, atMs), author, topic.subject);
    drafts.push(draft({ author, atMs, quoted, text, lang: quoted.lang }));
  }
  return drafts;
}

export function retweet(author: DemoAccount, of: Draft, atMs: number): Draft {
  const whole = `RT @${of.author.handle}: ${of.text}`;
  const text = whole.length <= LONGEST_TEXT ? whole : `${whole.slice(0, LONGEST_TEXT - 1)}…`;
  return draft({ author, atMs, retweeted: of, text, lang: of.lang });
}

export function makeRetweets(tweets: readonly Draft[], count: number, talk: Talk): Draft[] {
  const { chance, society } = talk;
  const urn = travels(tweets, talk, 0.6);
  const done = new Map<Draft, Set<DemoAccount>>();
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    const of = urn.draw(chance);
    const author = society.reader(of.author, chance);
    const already = done.get(of) ?? new Set([of.author]);
    const atMs = afterwards(of.atMs, 120, talk);
    if (atMs === null || already.has(author)) continue;
    done.set(of, already.add(author));
    drafts.push(retweet(author, of, atMs));
  }
  return drafts;
}
