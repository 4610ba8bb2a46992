import type { KindName } from './kinds.js';

/** The accounts that everybody follows. `reach` is the share of all accounts that follow them. */
export interface Curated {
  readonly handle: string;
  readonly name: string;
  readonly kind: KindName;
  readonly town: string;
  readonly bio: string;
  readonly reach: number;
  /** When the account was opened (RFC 3339); fixed, so that the id is too. */
  readonly createdAt: string;
  readonly protected?: true;
  /** How many posts to write, relative to others of the kind. */
  readonly activity: number;
}

export const CURATED: readonly Curated[] = [
  {
    handle: 'harbor_obs',
    name: 'Harbor Observatory',
    kind: 'observatory',
    town: 'Quillhaven',
    bio: 'Public observatory on the harbor hill, Quillhaven. Comets, open nights, honest cloud reports. Bring socks.',
    reach: 0.78,
    createdAt: '2014-03-20T19:04:11.250Z',
    activity: 62,
  },
  {
    handle: 'brindleferries',
    name: 'Brindle Coast Ferries',
    kind: 'ferry',
    town: 'Brindlemouth',
    bio: 'All boats, all islands, most weathers. Service news from the crew on watch. Lost property is a way of life.',
    reach: 0.69,
    createdAt: '2014-04-02T06:30:45.113Z',
    activity: 34,
  },
  {
    handle: 'brindlecourier',
    name: 'The Brindle Courier',
    kind: 'newspaper',
    town: 'Brindlemouth',
    bio: 'The coast, every morning, since 1847. Letters welcome, corrections cheerful.',
    reach: 0.63,
    createdAt: '2014-04-28T08:00:02.480Z',
    activity: 34,
  },
  {
    handle: 'brindle_wx',
    name: 'Brindle Coast Weather',
    kind: 'weather',
    town: 'Gullscar',
    bio: 'Forecasts for the whole coast, by three meteorologists and one knee.',
    reach: 0.58,
    createdAt: '2014-06-11T05:15:30.007Z',
    activity: 22,
  },
  {
    handle: 'lantern_light',
    name: 'Lantern Head Light',
    kind: 'lighthouse',
    town: 'Marramness',
    bio: 'Lit every night since 1803. 214 steps. Good night, all ships.',
    reach: 0.55,
    createdAt: '2015-01-09T18:22:59.641Z',
    activity: 16,
  },
  {
    handle: 'quay_library',
    name: 'Quay Library',
    kind: 'library',
    town: 'Quillhaven',
    bio: 'The library on Quay Road. Warm, free, open late. No fines, many stories.',
    reach: 0.41,
    createdAt: '2015-05-18T09:41:17.902Z',
    activity: 18,
  },
  {
    handle: 'ropewalkmuseum',
    name: 'Ropewalk Museum',
    kind: 'museum',
    town: 'Skarrow',
    bio: 'Three hundred meters of rope and everything tied to it. Skarrow. Free on Sundays.',
    reach: 0.34,
    createdAt: '2015-09-30T10:12:08.333Z',
    activity: 14,
  },
  {
    handle: 'gull_and_grain',
    name: 'Gull & Grain Bakery',
    kind: 'bakery',
    town: 'Quillhaven',
    bio: 'Bread from four in the morning, Fishgate, Quillhaven. The gull is not staff.',
    reach: 0.31,
    createdAt: '2016-02-14T04:48:36.219Z',
    activity: 16,
  },
  {
    handle: 'coastline_rail',
    name: 'Coast Line Railway',
    kind: 'railway',
    town: 'Tarnwick',
    bio: 'The slow train by the sea. Service news, lost property, sheep. Sit on the left.',
    reach: 0.29,
    createdAt: '2016-07-01T05:59:20.871Z',
    activity: 14,
  },
  {
    handle: 'noor_looks_up',
    name: 'Noor Sedgecombe',
    kind: 'astronomer',
    town: 'Quillhaven',
    bio: 'Amateur astronomer, night-shift nurse. Draws what she sees. Volunteer at @harbor_obs.',
    reach: 0.26,
    createdAt: '2016-11-05T22:10:44.508Z',
    activity: 22,
  },
  {
    handle: 'quiet_heron',
    name: 'Agnes H.',
    kind: 'birdwatcher',
    town: 'Hollowfen',
    bio: 'For friends and herons.',
    reach: 0.03,
    createdAt: '2018-03-03T07:33:12.045Z',
    protected: true,
    activity: 0,
  },
];
