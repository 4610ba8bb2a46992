export const observatory = `
# comet | tags: comet SkyWatching | emoji: ☄️ 🔭 ✨ | weight: 4
> {comet} is [now an easy binocular object|brightening faster than predicted|at its best this week]. Look {direction}, [two fists above the horizon|just over the water], about an hour after sunset.
> Tonight's comet forecast: {comet} is up from {clock}, low in the {direction}. [The tail should be visible from any dark lane.|Binoculars first, telescopes second.|Give your eyes twenty minutes.]
>p {comet} from {scope} [at {clock}|last night], {num} frames stacked. The [green|blue-green] glow is carbon gas lit by the Sun.
>p Our [night assistant|youngest volunteer|caretaker] took this of {comet} over {place} with [a phone held to the eyepiece|a borrowed camera and a beanbag]. We are [a little jealous|very proud].
> [Many of you asked|A question from last night]: is {comet} dangerous? No. It passes {num} million km away, and its tail is thinner than the best vacuum we can make.
> Measured {comet} at magnitude [3.8|4.1|4.6|5.2|5.9] tonight. [Brighter than yesterday.|Fading gently, as expected.|A touch ahead of the curve.] Light curve: {link}
>v Sixty minutes of {comet} in eight seconds. [Watch the tail bend in the solar wind.|The streaks are satellites, the wobble is our {wind} wind.]
> The last time {comet} came by, {town} had no electric lights. It will [not be back for {num} hundred years|return in {num} thousand years], so [do step outside|please go and look].
+ If you want to find it yourself: start at the brightest star in the {direction}, then drift down and left until something refuses to be a point.
+ Best nights are those without a moon. That means [Thursday to Sunday|the second half of the week|any evening until the weekend].
+ And take a chair. Astronomy is mostly neck management.
? Will it be visible without a telescope? / [Yes, if you get away from the street lights.|Just about!] Binoculars make it much easier. / Perfect, I still have my grandmother's pair.
? How long will it stay this bright? / Another [week|ten days] at least, then it slips into the evening twilight. / Then tonight it is. Thank you!
? Is {place} dark enough? / {^place} is [excellent|one of the best spots on this coast]. Face {direction} and let your eyes adjust. / See you out there then. I'm bringing soup. / Save us a cup!
? We saw it from our garden in {mytown}! My daughter says it looks like a dandelion. / Please tell her that is now the official description. / She is unbearably proud.
? Cloud. Only cloud. Every night this week. / We feel this in our bones. There is a gap [on {weekday}|after midnight], hold on. / I will set an alarm and hope.
? What am I seeing when I see the tail? / Dust, mostly, pushed away by sunlight. Each grain is about as big as a particle of smoke. / That is somehow better than what I imagined.
? Do I need to book to see it through your telescope? / No booking for [the lawn|the small telescopes]. The dome is first come, first served. / Lovely. We'll come early.
? Photographed it with six seconds at f/2 and got a green smudge. Is that it? / Green smudge is exactly it. Well done! / Framing it.
? Is it true that it glows green? / To a camera, very. To the eye, a gray with a green opinion. / I shall look for the opinion.
? My father saw one in his youth and never stopped talking about it. / Was it a spring evening, above the boats? Then we may have the plate. / He says yes. He is putting on his coat. / Ask for the old logbook at the desk!
? How do you find it if you don't know any constellations? / Find the brightest thing [above the sea|after sunset], then go one hand to the left. / One hand to the left. Even I can do that.
? Does the full moon spoil it? / A bit. Stand where a house hides the moon and you win it back. / House found. Neighbors puzzled.
? Is it moving towards us? / It was, until last week. Now it's on its way out, slowly, like a good guest. / I'll wave.
? What was it called after? / Its finder, who looked for nineteen years and found it while looking for her keys. / That gives me hope for my keys.
" If you only look up once this year, make it this.
" Went out with the binoculars. It is really there. Go and look!
" For everyone at {place} tonight: look {direction}.
" My neighbors are all standing in the road looking up. Blame {@observatory}.

# open night | tags: OpenNight | emoji: 🌙 🔭 | weight: 3
> Open night this {weekday}, doors at {clock}. On the program: {planet}, {sky} and [hot cocoa|Maren's ginger biscuits|a talk on tides and the Moon]. Free, as always.
> The forecast says [clear|clear with thin cloud|clear after nine], so open night is ON. Bring [warm socks|a red torch if you have one|a friend who has never seen {planet}].
> {num} visitors last night, and [every single one|almost every one] said "oh!" at {planet}. [That is why we do this.|It never gets old.]
>p The queue for {scope} [reached the gate|wound twice round the dome] last night. Thank you all for your patience, and for the [cake|flask of soup|applause].
> Open night is moved to {weekday} because of [fog|high wind|a very stubborn dome shutter]. Same time, same telescopes, [better sky we hope|more biscuits].
> New at open nights: a telescope at wheelchair height, [built by our volunteers|paid for by the {town} town fund]. Ask for [the blue one|"Low Betty"] at the door.
> School groups: there are still places on [two|three] afternoons this term. We show you the Sun safely, and you show us your questions. {link}
+ Parking is at {place}, then ten minutes on foot. Please dim your lights for the last bend.
+ If it clouds over we do the indoor tour: the clock room, the plate archive and the dome by torchlight.
? Are small children welcome? / Very. There is a step at every eyepiece and nobody minds a loud "wow". / He has been practicing his wow all week.
? Is there a bus back to {mytown} afterwards? / The last one leaves from {place} at 10:40. We ring a bell ten minutes before. / A bell! Excellent service.
? First time I ever saw {planet}'s disk with my own eyes. Thank you. / Thank YOU. You never forget the first one. / I keep telling everyone at work.
? Can I bring my own telescope? I never got the hang of it. / Please do! {weekday} is a good night for it; someone will help you set it up. / It has been in the attic for ten years, be gentle.
?(last night) Was it cold up there? / {^few} layers cold. Worth it. / I'll bring the long scarf.
? Will you run one in the holidays as well? / Yes, both weeks, {weekday} evenings. / Noted in ink.
? Do you have anything for people who can't climb stairs? / The lawn telescopes and a screen in the warm room, same sky. / Thank you for thinking of it.
? Is photography allowed? / Yes, without flash. Hold the phone to the eyepiece and breathe out. / Breathing out. Got it.
? My daughter wants to know if astronomers sleep. / In the morning, badly, with the curtains clipped together. / She has decided to become one.
? We came from {mytown} just for this. Worth every bend in the road. / You drove home in the dark, too. Thank you for the trip! / We stopped twice to look up.
? How late do you stay open? / Until the last person in the queue has looked. / That may be me.
" Best free evening on this coast. I'll be there.
" Took my father last time. He still talks about it.

# cloudy | tags: CloudedOut | emoji: ☁️ 😅 | plain: yes | weight: 2
> [Ninety|A hundred|Eighty-five] percent cloud. {scope} is [sulking|asleep under its cover]; the night team is [alphabetizing the plate archive|playing cards|polishing eyepieces].
> Seeing tonight: [poor, 4 arcseconds|average, 2.1 arcseconds|excellent, 0.9 arcseconds]. Wind {wind}, humidity [58|64|71|77|83|88]%. [Dome closed at 2 am.|Dome open.|Dome open and everyone smiling.]
> Night report: opened at {clock}, closed [forty minutes later|at the first drop of rain|when the fog climbed the hill]. One galaxy, [two moths|one owl on the railing], no regrets.
> Fog again. [You can hear the {town} horn but not see your own feet.|Even the gulls are walking.] We'll try [tomorrow|on {weekday}].
> Steady air, no moon, no wind. [Nights like this come three times a year.|We are not going to bed.] Pointing {scope} at {sky} until dawn.
>p Dew on everything: on {scope}, on the logbook, on [the night assistant's moustache|the cake].
?(cloud|fog) Same in {mytown}. I could not see the end of my own street. / Solidarity. The stars are still up there, we checked the catalog. / Reassuring!
?(cloud|fog|closed|rain) What do astronomers do on a cloudy night? / Calibrate, calculate, complain. Then tea. / A noble science.
?(steady|excellent|smiling) Finally! We could see the dome open from {mytown}. / Wave next time, the night assistant gets lonely. / With a torch. A red one, of course.
?(report) I love these reports. Please never stop. / As long as there are moths, there will be reports. / Long live the moths.
?(humidity|dew) Does humidity really matter that much? / It does once the mirror fogs up. We stop at 92%. / Same rule as my glasses.
?(cloud|fog) Clear as a bell here at {place}! / Please send it over, we'll pay postage. / It's on its way with the {wind} wind.
" The most honest weather report on this coast.

# picture | tags: astrophotography | emoji: 🌌 ✨ | weight: 3
>p Image of the week: {sky}, [two hours|three hours|a whole night] through {scope}. [Every speck is a sun.|Zoom in at the lower left.|Look for the dark lane.] {link}
>p {^sky}, photographed by [our student group|night-school class|volunteer Tobias] between [two showers|moonset and dawn]. [They have earned their breakfast.|First light for the new camera!]
>p A plate from [1903|1911|1923|1931|1948] beside last night's frame of {sky}. [Same stars, one of them has moved.|Spot the difference: one star is brighter now.]
>p The Moon through {scope}, [nine days old|one day before full|a thin crescent]. The shadows on the crater wall are [four|three] km deep.
>v Jupiter turning, over [two hours|an evening]. [Watch the moon's shadow cross the disk.|The boiling edge is our own air, not Jupiter.]
>p Sunspots today through the solar telescope: [{few} groups|one giant group, seven Earths wide|surprisingly few]. Never look without a proper filter, please.
?(<media>) Can I use this as my wallpaper? / Of course! Full size is on our site, free for everyone. / Installed. Nothing will get done today.
?(nebula|galaxy|cluster) How much of that color is real? / The [red|pink] is hydrogen, and real. Your eye is just too shy at night to see it. / Love that. "Shy eyes."
?(nebula|galaxy|cluster|pleiades) What are the little [spikes|crosses] on the bright stars? / Light bending round the struts that hold the small mirror. Every telescope signs its pictures. / I'll never unsee that.
?(nebula|galaxy|cluster) How far away is that? / About {num} thousand light years. The light left before {town} had a name. / I need to sit down.
? Printed the last one for my classroom. The children ask about it daily. / Send us their questions! We'll answer the best ones on open night. / Be careful what you ask for, there are {num}.
? How long did you work on this one? / One night to take, three to process, a week to agree on the color. / The color was worth it.
? May I use it in our parish newsletter? / Gladly. A line saying where it's from is all we ask. / You'll be next to the cake stall.
? I show these to my mother every evening. She is 90. / Please greet her from us. Any wishes for next week? / "Something with rings", she says.
? Is there a print of this one? / At the desk, and by post. The postage is more than the picture, sadly. / I'll come and fetch it.
" Look at this. LOOK at it.
" New wallpaper, thank you {@observatory}.

# shower | tags: MeteorShower | emoji: 🌠 | weight: 1
> {^showers} peak [on {weekday} night|this week]. Lie back, look [anywhere dark|up and a little {direction}], and count. We expect [one every two minutes|up to sixty an hour].
> We counted {num} meteors in an hour from the roof, [one with a trail that lasted five seconds|two bright enough to throw shadows|and one collective gasp]. {^showers} did not disappoint.
>v A fireball at {clock}, caught by the all-sky camera over {town}. [If you heard a rumble, tell us when and where.|More than {num} of you reported it, thank you.]
? Saw {few} from {place} before the cloud came in! / Good count! Add it to the log on our site, every hour helps. / Done. I feel like a scientist. / You are one now.
?(peak) Which direction should we look? / Anywhere but the street light. They come from all over. / So my plan of lying flat on the lawn is sound.
?(fireball) Was that the bright green one about ten past nine? / That's the one. Green is nickel burning. / Best thing I saw all year.
" Blanket, flask, sky. Sorted.
`;

export const astronomer = `
# my sky | tags: astronomy SkyWatching | emoji: 🔭 ✨ | weight: 4
> Finally found {comet} from [the back step|the allotment|a field above {town}]. It looked like {scopeview}.
> {planet} in the little telescope {daypart}. [The seeing was awful and I do not care.|Held steady for ten whole seconds.|Showed the neighbors. Three converts.]
>p My first [decent|not terrible] picture of {sky}. [{num} frames, one cup of tea, no feeling in my toes.|Please admire it, I am very tired.]
> [Clear sky forecast|Promised: clear night]. Reality: I am standing at {place} holding a telescope in the [drizzle|fog|mist].
> Sketching {sky} instead of photographing it. [You see so much more with a pencil.|My Moon looks like a potato but the potato is accurate.]
> Heading to {@observatory} for open night {weekday}. Anyone from {town} want a lift?
> Told the class of eight-year-olds that {sky} is {num} hundred light years away. Question: "Who measured it and did they get tired?" [Yes. Yes they did.|Best question all year.]
> Twenty minutes of dark adaptation ruined by {pet} setting off the garden light.
> Logged my {num}th variable star estimate this year. [It is a quiet hobby and I love it.|Someone has to keep an eye on them.]
+ Notes for next time: gloves with fingers, spare battery, second biscuit.
+ Still worth it. There is nothing like the moment it slides into the field.
? What size of telescope do you have? / A 15 cm reflector that is older than I am. / The old ones have the best stories.
?(comet|telescope|picture|saw) I tried last night and saw nothing. What am I doing wrong? / Probably nothing! Start with {planet}, it is impossible to miss. / Trying again tonight then.
?(class) That child has a future. / Or a very good union. / Ha! Both, I hope.
?(garden light) Red filter, always. And a stern word. / The stern word had no effect. / It never does.
?(clear|telescope|comet) Clouds rolled in here the moment I carried everything outside. / That is the law. Carry it in again and it will clear. / It did. It DID.
?(lift) Lift please, if there is still a seat! / There is. Quarter past at the Low Bridge stop? / Perfect, I'll bring biscuits.
? This makes me want to get mine out of the shed. / Do it! Tonight is good until one or so. / Dusting it off now.
?(<media>) What do you use for the tracking? / Patience and a kitchen timer. / The traditional method.
" This is what I keep trying to explain to my family.

# club | tags: darkskies | emoji: 🌙 | weight: 1
> The new lamps on {street} point down, not up, and [you can see the Milky Way from the bus stop again|{sky} is back above the chimneys]. Well done {@town}!
> Astronomy club {weekday}, {hall}, {clock}. [Subject: how to align a finder without crying.|I'm talking about double stars. There will be slides and cake.]
> Counted stars in Orion's frame for the light survey: {num} from {place}, {few} from {street}. [Fog helped nobody.|Join in, it takes five minutes.]
?(lamps) Really? I must go and look tonight. / Stand by the post box and give it ten minutes. / Saw it! First time in years.
?(club) Is the club open to beginners? / It is mostly beginners. The rest of us just hide it better. / Then I'll feel at home.
?(survey) How do I take part in the count? / Pick a clear night, count inside the frame, send it to {@observatory}. / Easy enough. Doing it with the kids.
" Come along, they are a friendly lot.
`;
