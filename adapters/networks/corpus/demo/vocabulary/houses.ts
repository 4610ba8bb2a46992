/** The institutions of the coast. */
import { bookshop, library } from './books.js';
import { choir, museum } from './culture.js';
import { bakery } from './food.js';
import { botanical } from './green.js';
import type { KindSpec } from './kind-spec.js';
import { rowing } from './outdoors.js';
import { ferry, lighthouse, weather } from './sea.js';
import { observatory } from './sky.js';
import { newspaper, railway, town } from './town.js';

const house = (
  count: number,
  subjects: string,
  hours: readonly [number, number],
  names: readonly string[],
  handles: readonly string[],
  bios: readonly string[],
): KindSpec => ({ count, institution: true, subjects, names, handles, bios, hours, activity: 2.2, fame: 5 });

export const HOUSES = {
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
} as const satisfies Record<string, KindSpec>;
