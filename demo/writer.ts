/** Writes an account's texts. */
import { type DemoAccount, SITE } from './account.js';
import type { Topic } from './draft.js';
import { phrase } from './phrase.js';
import type { Chance } from './random.js';
import type { Society } from './society.js';
import { type DemoPost, type Subject, seasonAt } from './subjects.js';
import { COMETS } from './vocabulary.js';

export const LONGEST_TEXT = 280;

/** Handles, tags and addresses keep their capitals. */
const lowered = (text: string): string =>
  text
    .split(' ')
    .map((word) => (/^(https?:|[@#])/.test(word) ? word : word.toLowerCase()))
    .join(' ');

function partOfDay(atMs: number): string {
  const hour = new Date(atMs).getUTCHours();
  if (hour >= 5 && hour < 12) return 'this morning';
  if (hour >= 12 && hour < 17) return 'this afternoon';
  return hour >= 17 && hour < 21 ? 'this evening' : 'tonight';
}

function cometAt(atMs: number): string {
  const at = new Date(atMs);
  const quarter = at.getUTCFullYear() * 4 + Math.floor(at.getUTCMonth() / 3);
  return COMETS[quarter % COMETS.length] ?? '';
}

export class Writer {
  private readonly decks = new Map<string, DemoPost[]>();

  constructor(
    private readonly society: Society,
    private readonly chance: Chance,
  ) {}

  /** A post on the subject that fits the season; an account uses all others before it repeats one. */
  nextPost(author: DemoAccount, subject: Subject, atMs: number): DemoPost {
    const season = seasonAt(atMs);
    const key = `${author.index} ${subject.name}`;
    const deck = this.decks.get(key) ?? [];
    if (deck.length < 2) deck.unshift(...this.chance.shuffled(subject.posts));
    const at = deck.findLastIndex(({ seasons }) => seasons === null || seasons.includes(season));
    const [post] = deck.splice(at, 1);
    this.decks.set(key, deck);
    return post ?? this.chance.pick(subject.posts);
  }

  /** `to` is the account that is answered. */
  say(template: string, speaker: DemoAccount, topic: Topic, atMs: number, to?: DemoAccount): string {
    const slug = `${topic.subject.name.replaceAll(' ', '-')}-${1 + (Math.floor(atMs / 1000) % 997)}`;
    const text = phrase(template, {
      chance: this.chance,
      season: seasonAt(atMs),
      bound: topic.bound,
      now: {
        comet: cometAt(atMs),
        daypart: partOfDay(atMs),
        link: `${SITE}/${speaker.handle}/${slug}`,
        mytown: speaker.town,
        reader: to?.calledBy ?? 'friend',
      },
      handleOf: (kind) => this.society.handleOf(kind, speaker, this.chance),
    });
    return speaker.voice.lower ? lowered(text) : text;
  }

  /** Adds a hashtag or an emoji at the end, if the account uses them and they fit. */
  adorned(text: string, speaker: DemoAccount, subject: Subject): string {
    const { voice } = speaker;
    const tag = this.chance.happens(voice.tags) && subject.tags.length > 0 ? ` #${this.chance.pick(subject.tags)}` : '';
    const emoji =
      this.chance.happens(voice.emoji) && subject.emoji.length > 0 ? ` ${this.chance.pick(subject.emoji)}` : '';
    const whole = text + emoji + tag;
    return whole.length <= LONGEST_TEXT ? whole : text;
  }
}
