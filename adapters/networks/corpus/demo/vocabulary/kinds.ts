/** Who lives on the coast: how many of each kind, what they are called, what they say about themselves, when they post. */

import { bookshop, library, reader } from './books.js';
import { choir, museum, musician } from './culture.js';
import { bakery, cook } from './food.js';
import { botanical, gardener } from './green.js';
import { birdwatcher, photographer, rowing, sailor, walker } from './outdoors.js';
import { everyday, teacher } from './people.js';
import { ferry, lighthouse, weather } from './sea.js';
import { astronomer, observatory } from './sky.js';
import { newspaper, railway, town } from './town.js';

export interface KindSpec {
  /** How many accounts. */
  readonly count: number;
  readonly institution: boolean;
  /** The subjects they post about, in the format of `../subjects.ts`. */
  readonly subjects: string;
  /** Display names (institutions) or handle words (people). */
  readonly names: readonly string[];
  /** What a handle ends in; the shortest must leave room for a town's first letters. */
  readonly handles: readonly string[];
  readonly bios: readonly string[];
  /** Local hours between which most of their posts fall; the end may pass midnight (26 is 2 am). */
  readonly hours: readonly [number, number];
  /** How much more than others they post, and are followed. */
  readonly activity: number;
  readonly fame: number;
}

const house = (
  count: number,
  subjects: string,
  hours: readonly [number, number],
  names: readonly string[],
  handles: readonly string[],
  bios: readonly string[],
): KindSpec => ({ count, institution: true, subjects, names, handles, bios, hours, activity: 2.2, fame: 5 });

const people = (
  count: number,
  subjects: string,
  hours: readonly [number, number],
  handles: readonly string[],
  bios: readonly string[],
): KindSpec => ({
  count,
  institution: false,
  subjects: subjects + everyday,
  names: [],
  handles,
  bios,
  hours,
  activity: 1,
  fame: 1,
});

export const KINDS = {
  observatory: house(
    14,
    observatory,
    [17, 26],
    ['{town} Observatory', '{town} Hill Observatory'],
    ['_obs', 'obs', 'skies'],
    [
      'Public observatory above {town}. Open nights every week, cocoa included. Clear skies!',
      'Telescopes, tides of stars and an honest opinion on the clouds over {town}. Run by volunteers since {year}.',
    ],
  ),
  library: house(
    40,
    library,
    [9, 21],
    ['{town} Library', '{town} Reading Room', '{town} Public Library'],
    ['_library', 'library', 'reads', '_lib'],
    [
      'Free, warm, open. Books, readings and a good armchair in {town}.',
      'The library of {town}, on {street} since {year}. Ask us anything, quietly or not.',
    ],
  ),
  ferry: house(
    16,
    ferry,
    [5, 22],
    ['{town} Ferries', '{town} Ferry', '{town} Sound Line'],
    ['ferries', 'ferry', '_boat'],
    [
      'Sailings from {town} daily, weather willing. Times, tides, delays and dolphins. Lost something? Ask.',
      'The little boats of {town}. Service news by the crew on watch.',
    ],
  ),
  museum: house(
    36,
    museum,
    [9, 19],
    ['{town} Museum', 'Museum of {town}', '{town} Maritime Museum'],
    ['museum', '_museum', 'mus', '_past'],
    [
      'Objects, stories and string. {street}, {town}. Free on Sundays.',
      "The small museum of {town}, founded {year}. Every object was somebody's.",
    ],
  ),
  town: house(
    40,
    town,
    [8, 20],
    ['{town}', 'Town of {town}', '{town} Town Hall'],
    ['_town', 'town', ''],
    [
      'News from the town of {town}: meetings, markets, roads, bins and gulls.',
      'Official account of {town}. Monday to Friday, nine to five; the gulls work weekends.',
    ],
  ),
  weather: house(
    44,
    weather,
    [5, 23],
    ['{town} Weather', '{town} Weather Station'],
    ['_wx', 'weather', 'wx', '_rain'],
    [
      'Hand-read and automatic observations from {town}. Rain gauge since {year}.',
      'Forecasts for {town} and the coast, by people who also have washing out.',
    ],
  ),
  lighthouse: house(
    24,
    lighthouse,
    [6, 24],
    ['{town} Light', '{town} Lighthouse'],
    ['_light', 'light', 'lamp'],
    [
      'Lit every night since {year}. Tower open in season. Good night, all ships.',
      'The lighthouse at {town}: weather, ships, stairs.',
    ],
  ),
  botanical: house(
    22,
    botanical,
    [8, 19],
    ['{town} Botanic Garden', '{town} Gardens'],
    ['_garden', 'gardens', '_green'],
    [
      'A walled garden by the sea. What is in flower, and when to come and smell it. {town}.',
      'Botanic garden of {town}, est. {year}. 4,000 kinds of plants, one heron.',
    ],
  ),
  bakery: house(
    46,
    bakery,
    [4, 15],
    ['{town} Bakery', '{street} Bakery', 'The {town} Oven'],
    ['_bakes', 'bakery', 'oven', '_loaf'],
    [
      'Bread, buns and the smell of both. {street}, {town}. Open from seven until sold out.',
      'Baking since {year}. Our starter is older than our oven.',
    ],
  ),
  railway: house(
    18,
    railway,
    [5, 23],
    ['{town} Line', '{town} Railway'],
    ['_line', 'rail', 'line'],
    [
      'Trains between {town} and the sea. Service news, lost property, sheep.',
      'The {town} branch: eleven stations, one tunnel, best seats on the left.',
    ],
  ),
  newspaper: house(
    24,
    newspaper,
    [6, 21],
    ['The {town} Courier', '{town} Gazette', '{town} Evening Bell'],
    ['courier', 'gazette', '_bell', 'news'],
    [
      'News of {town} and the coast since {year}. Crossword on page six.',
      'Your local paper in {town}. Corrections happily printed.',
    ],
  ),
  rowing: house(
    28,
    rowing,
    [6, 21],
    ['{town} Rowing Club', '{town} Boat Club'],
    ['rowing', '_rc', 'rows'],
    [
      'Rowing at {town} since {year}. All ages, all weathers but one. Beginners on Saturdays.',
      'Eights, fours, singles and cake. The boathouse, {town}.',
    ],
  ),
  choir: house(
    34,
    choir,
    [10, 23],
    ['{town} Choir', '{town} Chamber Choir', '{town} Harbor Singers'],
    ['_choir', 'choir', 'sings'],
    [
      'Forty voices and a kettle. Rehearsals weekly in {town}, all welcome.',
      'We sing in {town}. Basses always wanted.',
    ],
  ),
  bookshop: house(
    24,
    bookshop,
    [9, 19],
    ['{street} Books', '{town} Bookshop', 'Low Bridge Books {town}'],
    ['_books', 'books', 'pages'],
    [
      'New and second-hand books on {street}, {town}. The cat is not for sale.',
      'A bookshop with a stove. {town}, since {year}.',
    ],
  ),
  astronomer: people(
    170,
    astronomer,
    [17, 26],
    ['sky', 'star', 'nightsky', 'orbit'],
    [
      'Looks up a lot. Amateur astronomer in {town}.',
      'Small telescope, big ideas. {town}. Also bread.',
      'Variable stars, cold feet, warm flask.',
    ],
  ),
  gardener: people(
    200,
    gardener,
    [7, 21],
    ['plot', 'grows', 'garden', 'digs'],
    [
      'Plot {num} at the {town} allotments. At war with slugs.',
      'Gardener. Compost is my love language.',
      'I grow more than we can eat and give it to anyone who stands still. {town}.',
    ],
  ),
  teacher: people(
    190,
    teacher,
    [7, 22],
    ['teach', 'class', 'chalk', 'reads'],
    [
      'Teaches the small ones in {town}. Glue in hair, probably.',
      'Science teacher, {town}. Questions over answers.',
      'Year five, tea, repeat.',
    ],
  ),
  birdwatcher: people(
    190,
    birdwatcher,
    [5, 19],
    ['birds', 'wings', 'hide', 'feather'],
    [
      'Birds of {town} and around. Bad photos, good days.',
      'Usually at {place} with binoculars and a flask.',
      'Ringer, counter, listener. {town}.',
    ],
  ),
  cook: people(
    150,
    cook,
    [8, 22],
    ['bakes', 'cooks', 'kitchen', 'soup'],
    [
      'Home cook in {town}. It all started with a leek.',
      'Bread, soup, repeat. My aunt was right about the oven.',
      'Feeds whoever turns up. {town}.',
    ],
  ),
  sailor: people(
    150,
    sailor,
    [6, 22],
    ['sails', 'boat', 'tides', 'knots'],
    [
      'One small boat, one large to-do list. {town}.',
      'Sails badly, varnishes well.',
      'Out when I can be. Home port {town}.',
    ],
  ),
  reader: people(
    180,
    reader,
    [8, 24],
    ['reads', 'books', 'pages', 'inks'],
    ['Reads on ferries. {town}.', 'So many books, such a small chair.', 'Translator by day, reader by lamp. {town}.'],
  ),
  walker: people(
    150,
    walker,
    [7, 21],
    ['walks', 'paths', 'coast', 'boots'],
    [
      'Walking the coast one sandwich at a time. {town}.',
      'Nurse, walker, cold-water swimmer.',
      'Two dogs, one path, all weathers. {town}.',
    ],
  ),
  photographer: people(
    110,
    photographer,
    [6, 22],
    ['photo', 'light', 'frames', 'lens'],
    [
      'Photographs of fog and people I like. {town}.',
      'Film, mostly. Patience, sometimes.',
      'Light on this coast. Prints on request.',
    ],
  ),
  musician: people(
    100,
    musician,
    [10, 24],
    ['plays', 'tunes', 'music', 'fiddle'],
    [
      'Fiddle, teaching, tea. {town}.',
      'Plays anything with strings and some things without.',
      'Tunes from the {town} session, {weekday}s.',
    ],
  ),
} as const satisfies Record<string, KindSpec>;

export type KindName = keyof typeof KINDS;
