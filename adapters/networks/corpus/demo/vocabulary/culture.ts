export const museum = `
# objects | tags: museum | emoji: 🏺 | weight: 3
>p Object of the day: {object}, {town}, {year}. [Given by the family who used it every day.|Look at the worn edge, that is one person's thumb.|It still works.]
> New in the collection: {object}, [found in an attic on {street}|left on our step with a note|rescued from a skip]. [Research begins over tea.|We already love it.]
> [Mystery object|Can you help?] Wood, brass, {num} cm long, from a shed in {town}, about {year}. [It clicks.|Smells faintly of herring.] What IS it?
> Conservation news: {object} is [clean for the first time since {year}|back on show]. {num} cotton buds [and one deep breath|later]. {link}
> Inventory week: {num}00 objects counted, {few} found that we never lost, and {object} in a drawer marked "[string|misc.|not string]".
>p Our volunteers [rehung|dusted|finally identified] {object} today. [Nobody dropped anything.|Applause all round.]
+ The label took us {few} drafts. The short one won.
+ If your family has one at home, we would love to see a picture.
? My grandfather had one of those on the boat! / Do you remember how he used it? / He hung his hat on it, so I may not be the best source.
?(mystery|can you help) Is it a thing for [mending nets|measuring rope|turning heels]? / That's the best guess so far! We'll compare it with the ones in {town2}. / I'll be insufferable if I'm right.
? Can we see it in person? / From {weekday}, first floor, by the window. Free until five. / Bringing my class.
? What a lovely thing. How do you clean something so fragile? / Slowly: a soft brush, saliva (truly) and a lot of podcasts. / I did not expect the second one.
? Found something similar when we cleared the loft. Interested? / Very! Send a photo or bring it on {weekday}. / It weighs as much as the dog, so a photo first.
" Museums are just very organized attics and I love them.
"(mystery|can you help) Guess before you read the replies!

# shows | tags: museum | emoji: 🎟️ | weight: 2
> {exhibit} opens {weekday}. [{num} objects, one very long rope, free on Sundays.|Made with people from {street}.] {link}
> Last weekend for {exhibit}! [Open until eight on Saturday.|The dog in room two will miss you.]
> Talk, {weekday} {clock}: "[Why our ancestors feared Tuesdays|A brief history of the {town} pie|What knots remember|How {town} lost its bell]". [Free, chairs are hard, bring a cushion.|Questions welcome.]
> {num} children drew {exhibit} today. [In {few} drawings the curator is a bear.|We're hanging them all.]
> Late opening {weekday}: torches only. [The lighthouse model will be lit.|Last time someone proposed in the rope gallery. She said yes.]
?(opens|weekend|late opening) Is it suitable for a five-year-old who touches everything? / We have a touching table just for that. / You may have saved us all.
?(opens|weekend) Went yesterday, stayed three hours. That last room! / The last room gets everyone. Tissues are by the door now. / Thoughtful. Needed.
?(talk) Will the talk be online too? / A recording, yes, about a week later. / Great, I'm on the late shift.
?(bear) The bear is a good likeness. / The curator has asked for it to be on her badge. / Approved!
"(opens|weekend) Go for the rope, stay for the last room.
"(opens|weekend|talk) This is on my list for the weekend.
`;

export const choir = `
# rehearsal | tags: choir singing | emoji: 🎶 | weight: 2
> Rehearsal {weekday}, {clock}, {hall}. We start with {song}, [from bar {num}|the hard page]. [{^voice}: we believe in you.|Pencils!]
> {^voice} wanted! [No audition, just come and hum.|Two would do. Four would be bliss.] {weekday}s, {hall}.
>v Last minute of {song} from {weekday}'s rehearsal. [Nobody breathed.|The kettle joins in at the end, in tune.]
> Concert: {song} and others, {hall}, {weekday} {clock}. [Proceeds mend the roof we sing under.|Pay what you can.] {link}
> The {voice} got bar {num} right {daypart}. [All of it. At once.|There was cheering.|We will not mention bar {num2}.]
> {num} people and one dog at last night's concert. The dog [howled in the correct key|left after the Sanctus|slept, the highest praise].
> Our pianist is [down with a cold|stuck on the other side of the ferry]. Does anyone near {town} play and read, [and bake|and stay calm], {weekday}?
> We sang on {ship} yesterday, at sunset, for [the crew|{num} tired passengers]. [The engine gives a fine low E flat.|They sang back.]
?(wanted|rehearsal) I haven't sung since school. Can I come? / That describes most of the basses. Come! / See you on {weekday} then, at the back.
?(pianist) I can play! Though my left hand is mostly decorative. / You're perfect. {clock}, side door. / I'll bring the right hand too.
?(concert:|people and one dog|last minute) Was there. Bar {num} gave me goosebumps. / The {voice} will be impossible now. / They've earned it.
?(concert:) Are there tickets on the door? / About thirty, and standing room by the font. / I'll come early and bring a cushion.
? Which edition do you use? / The old green one, with everyone's grandmother's pencil marks. / The best edition.
? Please sing {song2} one day! / It's in the folder for spring. / Counting the weeks.
" Go and hear them. You will walk home humming.
" I'm third from the right, mouth wide open.
`;

export const musician = `
# playing | tags: music | emoji: 🎻 🎵 | weight: 2
> Learned {song} on the {instrument} {daypart}. [The cat left in the second verse.|The neighbors asked for it again, which is new.]
> Session at {hall} on {weekday}, from {clock}. [All tunes, all speeds.|Bring whatever you play, even the {instrument}.]
> Broke a string {few} minutes before we went on. [Played {song} on what was left.|Thank you to the stranger with the spare.]
>v Slow air on the {instrument}, recorded [under the pier|in the stairwell at {hall}|on {ship}]. [The echo is real.|Gull on backing vocals.]
> Teaching: my student, {few}, said {song} sounds "[like soup|like going home|brown]". [I have nothing to add.|She's right.]
> Busked on {street} today: {num} coins, [one apple|a button|a drawing of me with six fingers], [a request for {song}|and one very moved spaniel].
> {song} has {num} verses. [Nobody knows why the goat returns in the last.|We sang them all on the ferry.]
> Does anyone have the old setting of {song}? [The one with the extra bar.|My copy went into the harbor.]
? Who taught you to play like that? / A neighbor with a bad back and endless patience. / The best kind of school.
?(string) Which string? / The only one that mattered. / It always is.
?(old setting) I have that one, in my aunt's hand. Shall I scan it? / Yes please! I'll play it for you at the session. / Deal. Coming up this evening.
?(<media>) Beautiful tone! What room is that? / Just the stairs at {hall}. Don't tell anyone. / Half the coast knows now.
?(goat) The goat returns because it forgot its hat. Everyone knows. / In {mytown} maybe. Here it returns for love. / We'll settle this on {weekday}.
?(session) Is the session all right for a beginner? / Best place to be one. Sit by the fiddles, play what you can catch. / Caught three notes last time. Aiming for five.
?(soup) "Like soup" is the best review there is. / I'm having it printed. / On a spoon, I hope.
?(spaniel) Lovely to hear you today! I was the one with the spaniel. / Please thank the spaniel. / He's still humming.
"(<media>) Turn your sound on for this.
`;
