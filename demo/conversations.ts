/** What readers reply, what the author answers, and who joins in. */
import { MINUTE_MS } from '../src/lib/durations.js';
import type { DemoAccount } from './account.js';
import { type Draft, reply, type Topic } from './draft.js';
import { type Chance, Urn } from './random.js';
import type { Society } from './society.js';
import type { Comment, Exchange } from './subjects.js';
import { CHORUS } from './vocabulary.js';
import type { Writer } from './writer.js';

const SECOND_MS = 1_000;

export interface Talk {
  readonly chance: Chance;
  readonly writer: Writer;
  readonly society: Society;
  readonly nowMs: number;
  /** How often each account has received an exchange or comment. */
  readonly received: Map<string, number>;
}

const MOST_APPLAUSE = 3;

/** A time minutes or hours after the tweet, but not after now; null if the tweet was written just now. */
export function afterwards(earlierMs: number, medianMinutes: number, { chance, nowMs }: Talk): number | null {
  const left = nowMs - earlierMs;
  if (left < 4 * SECOND_MS) return null;
  const waited = 15 * SECOND_MS + Math.floor(chance.skewed(Math.log(medianMinutes), 1.1) * MINUTE_MS);
  return earlierMs + (waited < left ? waited : Math.floor(left * chance.between(0.2, 0.8)));
}

/**
 * Picks a choice that fits the post and was not used yet, usually one written for such posts, and of these one that the
 * author has heard least often.
 */
export function fitting<T extends Exchange | Comment>(choices: readonly T[], post: Draft, talk: Talk): T | null {
  const { chance, received } = talk;
  const seen = post.media === null ? post.text : `${post.text} <media>`;
  const free = choices.filter(
    (choice) => !post.topic?.said.has(choiceKey(choice)) && (choice.under?.test(seen) ?? true),
  );
  const made = free.filter(({ under }) => under !== null);
  const from = made.length > 0 && chance.happens(0.7) ? made : free;
  if (from.length === 0) return null;
  const timesReceived = (choice: T): number => received.get(`${post.author.id} ${choiceKey(choice)}`) ?? 0;
  const least = Math.min(...from.map(timesReceived));
  const chosen = chance.pick(from.filter((choice) => timesReceived(choice) === least));
  received.set(`${post.author.id} ${choiceKey(chosen)}`, least + 1);
  return chosen;
}

export const choiceKey = (choice: Exchange | Comment): string =>
  'turns' in choice ? choice.turns.join() : choice.text;

function answer(parent: Draft, speaker: DemoAccount, template: string, topic: Topic, talk: Talk): Draft | null {
  const atMs = afterwards(parent.atMs, parent.parent === null ? 45 : 12, talk);
  if (atMs === null) return null;
  const text = talk.writer.say(template, speaker, topic, atMs, parent.author);
  return reply(parent, { author: speaker, atMs, text, topic });
}

function* exchange(post: Draft, turns: readonly string[], topic: Topic, talk: Talk): Generator<Draft> {
  const { chance, society } = talk;
  const reader = society.reader(post.author, chance);
  let last: Draft = post;
  for (const [index, turn] of turns.entries()) {
    if (index > 0 && !chance.happens(index === 1 ? 0.85 : 0.75)) return;
    const next = answer(last, index % 2 === 0 ? reader : post.author, turn, topic, talk);
    if (next === null) return;
    yield next;
    last = next;
    if (post.lang === 'en' && chance.happens(0.12)) yield* joinIn(next, topic, talk);
  }
  if (post.lang === 'en' && turns.length > 2 && chance.happens(0.15))
    yield* once(last, turns.length % 2 === 0 ? reader : post.author, CHORUS.coda, topic, talk);
}

/** One of many lines, each at most once in a conversation. */
function* once(
  parent: Draft,
  speaker: DemoAccount,
  lines: readonly string[],
  topic: Topic,
  talk: Talk,
): Generator<Draft> {
  const free = lines.filter((line) => !topic.said.has(line));
  if (free.length === 0) return;
  const line = talk.chance.pick(free);
  topic.said.add(line);
  const next = answer(parent, speaker, line, topic, talk);
  if (next !== null) yield next;
}

function* joinIn(parent: Draft, topic: Topic, talk: Talk): Generator<Draft> {
  const lines = parent.text.includes('?') ? CHORUS.joinQuestion : CHORUS.joinRemark;
  const speaker = talk.society.reader(parent.author, talk.chance);
  if (speaker !== parent.parent?.author) yield* once(parent, speaker, lines, topic, talk);
}

function* converse(post: Draft, topic: Topic, talk: Talk): Generator<Draft> {
  const { chance, society } = talk;
  const found = fitting(topic.subject.exchanges, post, talk);
  const applauded = CHORUS.applause.filter((line) => topic.said.has(line)).length >= MOST_APPLAUSE;
  const welcome = post.lang === 'en' && !(topic.subject.plain || applauded);
  const applauds = welcome && chance.happens(found === null ? 0.6 : 0.12);
  if (applauds) yield* once(post, society.reader(post.author, chance), CHORUS.applause, topic, talk);
  else if (found !== null) {
    topic.said.add(choiceKey(found));
    yield* exchange(post, found.turns, topic, talk);
  }
}

/** Conversations under the posts; posts with many readers get more. */
export function makeReplies(posts: readonly Draft[], count: number, talk: Talk): Draft[] {
  const { chance, society } = talk;
  const openings = posts.filter(({ parent, topic }) => parent === null && topic !== null);
  const urn = new Urn(
    openings,
    ({ author, media }) => society.followersCount(author) ** 0.4 * chance.skewed(0, 0.9) * (media === null ? 1 : 1.3),
  );
  const drafts: Draft[] = [];
  for (let tries = 0; drafts.length < count && tries < count * 6; tries += 1) {
    const post = urn.draw(chance);
    if (post.topic !== null) drafts.push(...converse(post, post.topic, talk));
  }
  return drafts.slice(0, count);
}
