/**
 * Words that fill the texts. A list per season where the time of year matters. All places, works and comets are
 * invented.
 */
export type Season = 'winter' | 'spring' | 'summer' | 'autumn';
export type Words = readonly string[] | Readonly<Record<Season, readonly string[]>>;

const words = (text: string): readonly string[] =>
  text
    .split(/[;\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
const seasons = (winter: string, spring: string, summer: string, autumn: string): Words => ({
  winter: words(winter),
  spring: words(spring),
  summer: words(summer),
  autumn: words(autumn),
});

export const TOWNS = words(`Quillhaven; Brindlemouth; Tarnwick; Pellerby; Osmerholt; Gullscar; Merrisand; Skarrow
Hollowfen; Thrumhead; Vesperport; Caldreith; Finnoway; Orrisby; Ketterness; Dunmarrow; Eskerlow; Sallowbridge
Tolmere; Harrowick; Wethersay; Lorrimouth; Strandle; Corvenby; Oystergate; Fairlode; Kelpton; Marramness; Hythering
Sandrath; Wrackley; Brackenoe; Ullenby; Grisewater; Inchmallow; Plashby; Rookhallow; Yarrowfirth; Elverstrand; Foxmarl`);

/** One in the sky at a time, a quarter of a year each. */
export const COMETS = words(
  'Comet Quist; Comet Orrin-Vale; Comet Tamsin; Comet Ilvey; Comet Marwood-Sen; Comet Pellow; Comet Brightwell',
);

export const SLOTS: Readonly<Record<string, Words>> = {
  town: TOWNS,
  place: words(`Lantern Beach; Gannet Point; the Long Sands; Mussel Steps; Pilot's Cove; the old breakwater
Wren's Landing; the salt pans; Kettle Bay; the Seven Stairs; Heron Marsh; Cinder Head; the north pier
the drowned forest; Hester's Bench; the tide mill; Bell Rock path; the dune boardwalk; Signal Hill; the oyster beds`),
  street: words(`Chandler Street; Ropewalk Lane; Fishgate; Quay Road; Lamplighter Row; Mill Steps; Almond Hill
Cooper's Yard; Sailmaker Lane; Candle Street; Limekiln Road; Orchard Row; Pump Street; Weavers' Alley; Low Bridge`),
  hall: words(`the Ropewalk Hall; the Net Loft; the old customs house; the Reading Room; the Corn Store
the Lifeboat Hall; the Tithe Barn; the Sail Loft; the bandstand; the Pump Room; the Fishgate chapel; the Boat Shed`),
  clock: words('6:30 pm; 7 pm; 7:15 pm; 7:30 pm; 8 pm; 8:15 pm; 6 pm; 5:45 pm'),
  morning: words('6:40; 7:05; 7:20; 7:40; 8:10; 8:25; 8:50; 9:15; 9:30; 10:05; 10:30'),
  weekday: words('Monday; Tuesday; Wednesday; Thursday; Friday; Saturday; Sunday'),
  minutes: words('five; ten; fifteen; twenty; twenty-five; thirty-five; forty'),
  few: words('three; four; five; six; seven; eight; nine'),
  num: words('11; 14; 17; 19; 22; 26; 28; 31; 34; 37; 42; 46; 53; 58; 64; 71; 83; 96; 112; 140'),
  year: words('1784; 1803; 1826; 1847; 1861; 1879; 1888; 1894; 1902; 1911; 1923; 1931; 1948; 1957'),
  wind: words('southwesterly; northerly; northeasterly; westerly; southerly; easterly; northwesterly'),
  direction: words('east; southeast; south; southwest; west; northwest; north'),
  planet: words('Saturn; Jupiter; Mars; Venus'),
  sky: seasons(
    'the Orion Nebula; the Pleiades; the Winter Hexagon; the Crab Nebula; the Double Cluster; the Beehive Cluster',
    'the Leo Triplet; the Whirlpool Galaxy; the Beehive Cluster; the Coma Cluster; the Sombrero Galaxy; Arcturus',
    'the Lagoon Nebula; the Ring Nebula; the Great Hercules Cluster; the Wild Duck Cluster; the Veil Nebula; Albireo',
    'the Andromeda Galaxy; the Double Cluster; the Helix Nebula; the Pleiades; the Triangulum Galaxy; the Saturn Nebula',
  ),
  scope: words(
    'the 60 cm reflector; the old brass refractor; the wide-field camera; the little Dobsonian; the east telescope; the astrograph',
  ),
  showers: seasons(
    'the Geminids; the Quadrantids',
    'the Lyrids; the Eta Aquariids',
    'the Perseids',
    'the Orionids; the Leonids',
  ),
  book: words(`"The Salt Ledger"; "A Lamp for Wether Island"; "Small Tides"; "The Cartographer's Oven"; "Nine Winters Inland"
"The Heron Clerk"; "What the Estuary Kept"; "Letters to a Ferryman"; "The Quiet Harbormaster"; "Bread and Barometers"
"An Index of Gulls"; "The Weaver of Low Bridge"; "Every Other Lighthouse"; "The Moth Census"; "Rooms Above the Chandlery"
"Slow Boats, Short Days"; "The Glass Almanac"; "Inventory of a Rainy Town"; "My Aunt the Comet"; "Sundials for Beginners"`),
  genre:
    words(`sea stories; mysteries; translated fiction; cookbooks; local history; poetry; field guides; ghost stories
travel writing; picture books; letters and diaries; science fiction; graphic novels; audiobooks; gardening books`),
  ship: words(`Lady Marram; Petrel; Osprey of Skarrow; Kittiwake; Morning Ledger; Sanderling; Old Patience; Silver Eel
Harbor Maid; Second Wind; Little Auk; Tidemark`),
  sea: words('flat calm; slight; a bit lumpy; moderate; moderate to rough; choppy off the head; smooth as a plate'),
  bird: seasons(
    'fieldfare; redwing; goldeneye; purple sandpiper; short-eared owl; waxwing; long-tailed duck; little auk; snow bunting',
    'wheatear; chiffchaff; sand martin; ring ouzel; swallow; willow warbler; sandwich tern; cuckoo; whimbrel',
    'puffin; swift; little tern; kittiwake; guillemot; reed warbler; shelduck; stonechat; nightjar; fulmar',
    'curlew sandpiper; pied flycatcher; goldcrest; yellow-browed warbler; osprey; greenshank; wryneck; little stint',
  ),
  common: words(
    'robin; wren; starling; oystercatcher; jackdaw; turnstone; blackbird; cormorant; grey heron; herring gull; dunnock',
  ),
  bloom: seasons(
    'snowdrops; witch hazel; winter aconites; hellebores; early camellias',
    'magnolias; bluebells; tulips; primroses; fritillaries; cherry blossom; wild garlic',
    'sea holly; sweet peas; foxgloves; thrift; poppies; hollyhocks; lavender; evening primrose',
    'asters; autumn crocuses; dahlias; cyclamen; Japanese anemones; spindle berries',
  ),
  veg: seasons(
    'leeks; parsnips; kale; sprouts; celeriac',
    'broad beans; radishes; rhubarb; spring onions; asparagus; early peas',
    'tomatoes; courgettes; runner beans; new potatoes; cucumbers; beetroot; strawberries',
    'squashes; apples; sweetcorn; late beans; pumpkins; quinces; chard',
  ),
  pest: words("slugs; pigeons; greenfly; snails; the neighbor's hens; caterpillars; a very confident rabbit"),
  bread:
    words(`sourdough; rye loaf; seeded cob; honey oat loaf; potato bread; barley flatbread; olive twist; harbor loaf
cheese plait; spelt loaf; walnut bread; milk rolls; sea-salt focaccia`),
  cake: words(`cardamom buns; apple turnovers; ginger parkin; lemon drizzle; almond crescents; plum tart; cinnamon knots
rhubarb custard slices; oat biscuits; pear and hazelnut cake; saffron buns; cherry scones; seed cake; poppy-seed swirls`),
  supper: words(`fish pie; leek and potato soup; mushroom risotto; lentil stew; mussels and chips; pea soup; dumplings
crab on toast; chickpea curry; baked squash; smoked haddock chowder; cheese and onion tart; noodle soup`),
  song: words(`"The Ferryman's Daughter"; "Lamp in the Rain"; "Seven Miles of Sand"; "The Turning Tide"; "Evensong in D"
"The Herring Lullaby"; "Low Bridge Reel"; "Winter Harbor"; "O Gentle Marram"; "The Salt Road"; "Candle Street Waltz"`),
  voice: words('sopranos; altos; tenors; basses'),
  instrument: words('concertina; fiddle; cello; clarinet; tin whistle; double bass; piano; cornet; harp; mandolin'),
  object:
    words(`a brass barometer; a ship's biscuit tin; a carved heron-head umbrella; a child's sampler; a harbor pilot's logbook
a set of glass net floats; a wooden tide table; a travelling apothecary box; a tin megaphone; a knitted fisherman's gansey
a clockwork lighthouse model; a box of lantern slides; a ferry token; a hand-drawn chart of the estuary; a bone-china teapot`),
  exhibit:
    words(`"Salt, Rope, Tar"; "A Town in Fifty Postcards"; "The Weather Keepers"; "Fog: A Short History"; "Nets and Needles"
"Children of the Quay"; "Lost and Found at Sea"; "Paper Boats"; "The Long Winter"; "Maps Before Roads"`),
  road: words(
    'the coast road; Quay Road; the causeway; Limekiln Road; the marsh lane; Mill Steps; the Low Bridge junction',
  ),
  lesson: words(
    'fractions; volcanoes; the water cycle; haiku; magnets; map reading; the moon; long division; rock pools; fair tests',
  ),
  crew: words(
    "women's quad; junior four; masters' eight; mixed skiff; novice four; under-16 double; coxed gig; vets' four",
  ),
  stretch: words('the harbor mile; the estuary course; the Low Bridge loop; the long reach; the pier-to-buoy sprint'),
  pet: words(
    "the cat; the dog; next door's cat; the harbor cat; my sister's spaniel; a single determined gull; the one-eyed goose",
  ),
  drink: words('coffee; a pot of tea; hot chocolate; ginger tea; cocoa; elderflower cordial'),
  light: words('pink; peach; copper; silver; violet; butter yellow; slate blue; apricot; pewter'),
  knit: words('hat; scarf; cardigan; pair of socks; blanket; gansey'),
  scopeview: words(
    'a smudge with ambition; a perfect little pearl; a comma of light; a grain of salt on velvet; fainter than I hoped, lovelier than I expected',
  ),
};
