export const ferry = `
# delays | tags: ferry | emoji: ⛴️ | plain: yes | weight: 4
> The {morning} from {town} to {town2} is running {minutes} minutes late because of [fog in the channel|a lobster pot in the propeller|a slow turnaround|a very long queue of bicycles]. Sorry!
> {ship} is [back in service|out for her yearly scrub]. {ship2} takes the {morning} and the {clock} until {weekday}.
> Sea state today: {sea}, wind {wind}. All sailings [as planned|as planned, a little bouncy after four|under review after six]. [Sit aft if your stomach is proud.|Hats, please.]
> Last boat tonight is the {clock} because of the {wind} wind. Please [don't count on the later one|plan ahead, the island inn has {few} beds].
> Low water at {morning}: the {town} ramp is [steep|very steep|slippery] until noon. [Wheel your bikes, please.|Staff will help with prams and trolleys.]
> All boats on time today. [We wanted you to know that it happens.|Thank you, flat calm.]
> Extra sailings on {weekday} for the {town} [regatta|fair|lantern walk]: {morning}, noon and midnight. [Cocoa on the last one.|Last boat waits for the last song.]
> Timetable for the [winter|new] season is out: {link}. [The {morning} is safe, we heard you.|Two more boats on Sundays!]
+ Update: she has left the quay. [Thank you for waiting so kindly.|We'll make up what we can.]
+ Connecting bus to {town2} has been told and will wait.
?(wind|sea state|late) Will the {clock} still go? / As it looks now, yes. We decide at four and post it here. / Thank you, that helps.
?(late) Will the bus wait for us? / Yes, we've called the driver. / You are wonderful.
?(late) Standing on the quay. It is very atmospheric. / Hot drinks are on us, show this at the kiosk. / Suddenly I don't mind at all.
? Can I bring a [cello|tandem|very calm goat]? / Yes, it travels as a bicycle. / It will be delighted.
? Left a [blue umbrella|green scarf|tin of biscuits] on {ship}. Has anyone found it? / It's at the {town} office, smelling of sea. / Thank you! I'll collect it on {weekday}.
? Are dogs allowed upstairs? / Everywhere but the café. They prefer the bow anyway. / Mine will want to steer.
? Is the café on board open? / From the first boat. Soup from eleven, cinnamon knots while they last. / Then let it be a slow crossing.
? Do I need a ticket for a folded bicycle? / Folded, it's luggage. Unfolded, it's a passenger. / It will stay folded and well behaved.
? Who does the announcements? I could listen to them for hours. / That's Odette. She also does weddings. / Of course she does.
? Is it rough out there today? / A little lumpy off the head, then calm. Sit low and look far. / Low and far. Thank you.
? Can I board with a pram at this tide? / Yes, wave at the ramp and two of us come down. / You are kind people.
? Best crew on the coast. They waved at the children all the way. / We'll pass it on to the {morning} crew. They will pretend not to be touched. / Ha! Good.
"(late|extra|last) If you're heading for {town2}, read this first.
"(late|last boat) Told you. The sea decides.
"(late|moved) Stuck with the best view in the world, so no complaints.

# crossing | tags: ferry BrindleCoast | emoji: 🐬 🌊 | weight: 2
>p Dolphins off {place} on the {morning}! [About {few}, in no hurry.|The captain slowed down, nobody complained.]
>p {ship} coming home at {clock}, sky all {light}. [Photo from the bridge.|Taken by our deckhand Bram.]
>v This is what {sea} looks like from {ship}'s bow. [Sound on for the bell.|The mug survived.]
> {ship} turns {num} this week. [She has crossed the sound some 200,000 times and still leans a bit to port.|Cake on board on {weekday}.]
> Lost property this month: {num} umbrellas, {few} hats, [one trombone|a wedding cake topper|a left boot|a chess set missing a bishop]. [Ask at the kiosk.|No questions asked.]
> We're looking for [deckhands|a café cook|a ticket clerk] for the season. [Sea legs can be learned, kindness can't.|Uniform, tea and sunsets included.] {link}
?(dolphin) We were on that one! The whole boat went quiet. / Our favorite sound. / Never going by road again.
?(<media>) Took that boat to school for six years. Never once bored. / Upstairs or down? / Upstairs, hat in hand.
?(turns) Happy birthday, old girl. I met my wife on that boat. / That makes {few} couples this week. She's proud. / Forty years in May!
?(trombone) The trombone is mine. Don't ask. / We're not asking. We only hope you'll play on the {clock}. / Deal.
?(dolphin) Do you see them often? / Spring and late summer mostly. Port side, off {place}. / I'll sit port side.
?(looking for) Is there an age limit for deckhands? I'm {num} and can tie a bowline. / None at all. Come and show us on {weekday}. / On my way to the quay.
" This is my commute and I won't apologize.
`;

export const lighthouse = `
# light | tags: lighthouse | emoji: 🗼 💡 | weight: 1
> Lit at {clock}. Wind {wind}, sea {sea}, visibility [ten miles|four miles|about as far as the railing]. [Good night, all ships.|Kettle on.]
> Log, {weekday}: {num} ships, {few} yachts, one [paddleboard with a dog|seal pretending to be a rock|kayak with a guitar]. [All well.|Waved at everyone.]
> [148|176|214|231] steps, no lift. We get asked. [The view is why.|The knees remember each one.]
>p Cleaned the lens today. {num} prisms, one cloth, [no singing allowed inside, it echoes|four hours]. [It glows like a lemon.|Worth it.]
>p Storm light over {place}. [The tower hums in {a wind} wind.|Spray on the gallery, forty meters up.]
> In {year} the keeper here wrote: "[Fog. Rang the bell nine hours. Good soup.|Wind dropped. Saw three comets or was very tired.|Nothing passed but geese.]" [We recognize the mood.|Nothing has changed.]
> Tower open {weekday}, ten to four. [Children get to press the big button.|Hold on to your hat, we mean it.]
> A {bird} [rested on the gallery for an hour|came in on the beam and slept on the rail]. [We turned down the radio.|Logged as crew.]
+ And one more for the log: the kettle has boiled over again.
+ All quiet now. The beam goes round.
? Can you see {mytown} from the top? / On a clear day, yes, and with the glass we can read the pub sign. / I'll wave from the door.
? What do you read up there? / Tide tables, mysteries, the back of the soup tin. / In that order?
? Did you see the green flash at sunset? / Twice this year. The kettle boiled over both times. / A small price.
? Do you ever get lonely? / There are {few} thousand people who can see us from bed. / That is a lovely way to count.
?(fog|miles) Is the fog horn going to be on all night? / Until it lifts, sorry. Try to hear it as a very large cow. / That does help.
? My grandfather kept that light in the old days. / What was his name? We still have the logbooks and would love to look. / Alder. He had a parrot! / Page {num}: "Parrot unwell, better by evening." Come and see it.
?(lit|lens) How long does a lamp last now? / The new ones, about ten years. The old keeper got through a barrel of oil a week. / And {num} steps each time...
? We can see your beam from our kitchen. It's a comfort. / That is the nicest thing a light can hear. / Good night!
?(tower open|steps) Do children have to be a certain height for the stairs? / Only steady on their feet. We have a rope for little hands. / She has been counting the days.
" This account keeps me calm.
" Good night, lighthouse.
`;

export const weather = `
# forecast | tags: weather | emoji: 🌦️ 🌬️ | plain: yes | weight: 3
> {town} and coast, next 24 hours: [dry until lunch, then showers|bright spells, cool breeze|low cloud clearing from the {direction}|rain by evening]. Wind {wind}, [10|15|20|25|30] knots. Sea {sea}.
> Barometer [falling slowly|rising|steady] at [998|1004|1009|1013|1018|1024] hPa. [Bring in the washing by {clock}.|A settled {weekday} ahead.|My knee agrees.]
> Pollen [low|moderate], UV [2|3|5|6], chance of a rainbow over {place}: [fair|excellent|one in three].
>(winter,autumn) Gale warning for the outer coast, {wind}, from {clock}. [Double your mooring lines.|Tie down the bins, and the gnomes.]
>(winter) Frost on the ground at {place}, minus [two|three|four] at dawn. [{^road} will be slippery until nine.|The puddles ring like glass.]
>(summer) Warmest night of the year so far at {town}: [19.8|20.4|21.1]. [Nobody slept, the swifts least of all.|Sea breeze by ten, promise.]
>(spring) First {num} mm of proper spring rain at {town}. [Gardens cheering, cricketers not.|The frogs have begun.]
> Fog bank sitting off {place}. It will [drift in after {clock}|burn off by eleven|stay out there and look moody].
>p Mackerel sky over {town} {daypart}. [Change within a day, says the rhyme, and so says the model.|Change is coming.]
? Which cloud is the one like fish scales? / Mackerel sky. Pretty now, wet tomorrow. / As with most things.
? How sure are you about that? / About seven in ten. The knee says eight. / I go with the knee.
? Any chance of fog for the early boat? / Some, in the channel. It should lift by nine. / I'll take a book.
? Will it stay dry for the [market|washing|parade]? / Until about three, I'd say. Keep one eye to the {direction}. / One eye it is, thank you.
? Your forecast was spot on yesterday! / Please frame that. It will be different tomorrow. / Ha! Printed.
?(rain|shower|cloud) It's raining in {mytown} already. / You get our weather forty minutes early, as always. / Somebody has to test it.
?(fog|sea) How do you measure visibility? / We count the islands. Seven is good, two is soup. / The most scientific thing I've heard all week.
? Should we take the boat out on {weekday}? / Morning yes, afternoon no. Back by two. / Back by two. Thanks!
?(barometer) Is that why my head aches? / Pressure dropped twelve in six hours, so quite possibly. Take it easy. / I feel seen by a barometer.
"(rain|gale|shower) Washing in. Now.
" Trust this one over my phone.

# records | tags: weather | emoji: 🌡️ 📈 | weight: 1
> Monthly summary for {town}: {num} mm of rain, [4.2|5.1|6.3|7.7] hours of sun a day, gust of [41|47|52|58] knots on {weekday}. [About average.|Wettest since {year}.|Not bad at all.] {link}
> Our observer at {place} has read the gauge every morning for [31|38|44] years. Today it said [nothing at all|{num} mm]. [Thank you, Agnes.|She still writes it in pencil.]
> New instrument: [a sunshine recorder, a glass ball that burns a line on a card|a wave buoy off {place}|a second rain gauge, to settle arguments]. [Live readings|See it here]: {link}
> On this day in {year}: [snow to the window sills in {town}|a waterspout off {place}, "most graceful"|{num} hours without wind, boats rowed home].
?(observer) I love that someone just does this every day. / So do we. She says it's only ten minutes, but it's ten minutes every day. / Hats off.
?(on this day) My grandmother used to tell of that day! / Did she write anything down? We collect these. / I'll look in the tin box.
? Is the data free to use? / All of it, for anything. Tell us what you make. / My pupils will make terrible, wonderful charts.
" Data and poetry in one post.
`;
