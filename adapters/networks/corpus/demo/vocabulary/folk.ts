/** The people of the coast. */
import { reader } from './books.js';
import { musician } from './culture.js';
import { cook } from './food.js';
import { gardener } from './green.js';
import type { KindSpec } from './kind-spec.js';
import { birdwatcher, photographer, sailor, walker } from './outdoors.js';
import { everyday, teacher } from './people.js';
import { astronomer } from './sky.js';

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

export const FOLK = {
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
