/** First names and invented surnames; no pair names a real person. */
const words = (text: string): readonly string[] => text.trim().split(/[\s]+/);

export const FIRST_NAMES =
  words(`Maren Tobias Ines Oskar Linnea Hugo Petra Amara Jonas Wilhelmina Felix Noor Elspeth Ravi
Saskia Bram Odette Kofi Ingrid Mateo Hana Silas Freya Dario Yuki Leonie Anselm Zainab Rufus Clementine Idris Tamsin Emeka
Greta Lorcan Priya Casper Beatrix Omar Nell Viggo Salma Alder Marguerite Theo Isolde Kwame Agnes Dmitri Rosalind Jun Edda
Barnaby Leila Soren Winifred Tariq Mabel Lucian Anneke Desmond Paloma Ivo Harriet Cyrus Elowen Magnus Nadia Percy Sunniva
Rafael Dorothea Kenji Philippa Arlo Meera Gideon Astrid Caspian Bettina Olu Hester Emil Farah Roland Juniper Anton Celeste
Niko Thea Bashir Cordelia Lars Imogen Samir Ottilie Duncan Zofia Elias Perpetua Milo Yasmin Ansel Fern Teodor Ruth`);

const SURNAME_HEADS = words(`Thistle Marl Osier Brack Fen Hollow Lark Penn Quill Salt Wick Tarn Cobble Dray Ember Gorse
Harrow Kettle Lant Moor Nettle Oar Pebble Reed Sedge Teasel Under Vane Whin Yarrow Candle Sparrow Bell Cinder Drift Heron`);
const SURNAME_TAILS = words('wick dale more combe strand low gate holt mere by ness croft lode field bourne wright');

/** Leaves out combinations that join badly (Belllow, Hollowwright). */
export const SURNAMES = SURNAME_HEADS.flatMap((head, index) =>
  [0, 5, 9, 14].map((step) => `${head}${SURNAME_TAILS[(index * 3 + step) % SURNAME_TAILS.length]}`),
).filter((name) => !/(.)\1\1|ww|nen|rer|dlod/.test(name));

/** How a long town name is shortened in a handle. */
export const SHORT_TOWNS: Readonly<Record<string, string>> = {
  Brindlemouth: 'brindle',
  Sallowbridge: 'sallow',
  Elverstrand: 'elver',
  Yarrowfirth: 'yarrow',
  Marramness: 'marram',
  Inchmallow: 'mallow',
  Quillhaven: 'quill',
  Lorrimouth: 'lorri',
  Oystergate: 'oyster',
  Ketterness: 'ketter',
  Rookhallow: 'rook',
  Hollowfen: 'hollow',
  Vesperport: 'vesper',
};

/** What people add to their own introduction. */
export const ASIDES = [
  'Also: jam.',
  'Usually on the early ferry.',
  'Opinions belong to the cat.',
  'Knits in meetings.',
  'Two children, one allotment, no time.',
  'Retired, busier than before.',
  'Moved here for a year, eleven years ago.',
  'Sings alto, badly placed.',
  'Tea first.',
  'Nurse by night.',
  'Carpenter by day.',
  'Learning the concertina. Sorry, neighbors.',
  'Ask me about moss.',
  'Still looking for the other glove.',
  'Volunteer at the library on Fridays.',
  'Aunt of seven.',
  'Married to a lighthouse person.',
  "Third seat in the vets' four.",
  'Collects ferry tickets.',
  'Born on a low tide.',
  'Will talk to any dog.',
  'Here for the comets.',
  'Writes letters, answers most.',
  'Fond of fog.',
  'Night bus driver. I have seen things, mostly owls.',
  'Sea air enthusiast.',
  'In favor of soup.',
  'Postwoman. I know all your dogs.',
] as const;
