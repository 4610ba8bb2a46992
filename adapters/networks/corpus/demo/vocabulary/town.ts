export const town = `
# council | tags: BrindleCoast | emoji: 🏘️ | weight: 3
> Council meets {weekday} at {clock}, {hall}. On the list: [benches on {street}|the {place} footpath|swift boxes|a name for the new ferry bus]. [All welcome, tea at the back.|Bring a neighbor.]
> The new [benches|lamps|bike racks|bins] on {street} are in. [Please try them.|The first sitter was a gull.|They came in a little under budget.]
> {^road} is closed on {weekday} from nine to [noon|three] for [resurfacing|a burst pipe|moving one very large tree]. [Go round by {street}.|Sorry, and thank you.]
> You voted: the new [ferry bus|road sweeper|snow plow] is to be called ["Grit Expectations"|"Snowbody Knows"|"Salty"|"Old Dependable"]. [{num}0 votes, no recount.|The children won.]
> Bin days change this week because of the holiday: {weekday} instead of the usual. [Gulls have been informed.|Lids shut, please, the gulls know.]
> The clock on {hall} is right again. [It took {few} visits, one ladder and Mr. Cobblegate's reading glasses.|It had been five minutes slow since {year}.]
> Thank you to the {num} volunteers who cleaned {place} on {weekday}. Found: {few} sacks of rope, [a bath|a message in a bottle from {town2}|a shop bell].
+ Questions? The office is open until five, and there is usually cake on Thursdays.
+ Minutes of the last meeting: {link}
?(are in|right again) About time. Who do I thank? / Pauline in works, who asked for it {few} years running. / Thank you, Pauline!
?(are in) Could we have one by {place} too? / Good idea. Send it to the {weekday} meeting and we'll put it on the list. / Sent!
?(closed) Which way will the bus go until then? / Down {street} and back by Fishgate, same stops otherwise. / Clear, thanks.
?(council meets) Can anyone speak at the meeting? / Anyone who lives here, three minutes each. There's a sand timer. / I only need two.
?(voted) The children voted twice, I believe. / We believe so too. The council decided to look at the sea instead. / Wise.
?(bin days) The gull on our roof has read this and is furious. / Please tell him the schedule is final. / He has asked to see a manager.
?(children won) Named by nine-year-olds, I hope. / By a majority of them, after a recount they insisted on. / The future is in good hands.
?(volunteers) Great turnout! Same time next month? / Yes, first {weekday}. Gloves provided. / We'll bring the whole street.
" Only here. I love this town.
"(meets|closed|bin days) Neighbors, note the date.

# market | tags: market | emoji: 🧺 🎏 | weight: 2
> Market day! {street}, eight to one: {veg}, {bread}, [fresh crab|goat's cheese|second-hand tools], and [the knife grinder|a fiddler|the jam ladies]. [Bring a bag.|Rain or shine.]
> The {town} [lantern walk|harvest fair|boat parade|soup festival] is on {weekday}, starting from {place} at {clock}. [Make your own lantern at {@library}.|Everyone carries something.]
>p Market this morning in the [sun|drizzle]. [The {veg} went first.|Mrs. Heronby sold out of {cake} by nine.]
> Stalls for the [winter|summer] market can be booked from {weekday}: {link}. [{num} places, first come.|Beekeepers, we miss you.]
> Stallholders, {a wind} wind is forecast for {weekday}. [Pegs and weights, please.|Last year's tent is still in {town2}.]
?(market day) Will the cheese lady be there? / She will, by the fountain, from eight. / Then so will I.
? Are dogs allowed? / On leads, and away from the crab, please. / He makes no promises.
? Where's best to park? / {^place}, and walk along the water. It's ten minutes and the nicest part. / Good advice.
?(walk|fair|parade|festival) Can children take part in the walk? / They lead it! Meet by the fountain a little earlier. / Two small dragons confirmed.
?(booked) Is there a shared table for very small jam makers? / There is, by the pump. Two crowns and a good label. / I have nothing but good labels.
?(this morning) Best market in ages, well done all. / The stallholders will love to read this. / Same again next week!
"(market day|starting) Saturday sorted. Or {weekday}, rather.
"(market) If you see me buying more jam, stop me.
`;

export const newspaper = `
# news | tags: BrindleCoast | emoji: 📰 | weight: 3
> {town}: [swans halt traffic on {road} for {minutes} minutes|bakery oven fired up again after {num} years|school choir wins {town2} shield|lost ferry token found in a loaf]. {link}
> {place} boardwalk reopens {weekday} after [winter repairs|the storm|{few} months]. [First walkers at nine.|The last plank was laid by the class that raised the money.] {link}
> [Harbor dredging begins|New tide gauge fitted|Swift boxes go up] in {town} on {weekday}. What it means for [boats|walkers|ferry times]: {link}
> From the archive, {year}: "[Whale seen off {place}; school closed so all could look.|Fog for nine days; postman delivers by bell.|Prize marrow stolen, returned, re-awarded.]"
>p Picture of the day: {place}, {light} light, by reader [Ines Larkcombe|Odette Gorseholt|Tariq Pennlow]. Send us yours by {weekday}.
> Interview: [the woman who winds {town}'s clocks|the last rope maker of {street}|the ferry cook who has never been seasick|the man who counts puffins]. {link}
> Letters: "[Sir, the gull on {street} is not lost, he is management.|May I defend the new benches?|Who took the sundial, and how will they read it at home?]" More: {link}
> Crossword, {weekday}: [seven letters, "patient boat"|six letters, "sky wanderer"|eight letters, "it keeps the time of tides"]. [No spoilers below, please.|Answers tomorrow.]
> {@observatory} expects a good week for {comet}: where to stand and when, in our guide. {link}
> Correction: {weekday}'s recipe asked for {few} cups of salt. It should have said pinches. [We are sorry, and thirsty.|We apologize to the Larkdale family.]
+ More on this in tomorrow's paper, page {few}.
+ Thank you to the {few} readers who rang us about it.
?(swans) Were the swans all right? / Perfectly. They finished their walk and left by the river. / Best news today.
?(swans) I was there! They stood about like councillors. / May we quote you? / Please do, but not my mother's name for them.
? Thank you for reporting the small things. / They turn out to be the big things. / True every time.
? Which page is it on in print? / Page {few}, under the tides. / Found it, thank you.
? I always read this one first. / Before the weather? We are honored. / Before coffee, even.
? Who writes these? They're a delight. / Three people, one desk, one very old dictionary. / A raise for the dictionary!
? My neighbor is in this week's paper and now he is impossible. / We apologize to the whole street. / He has framed it.
? Could you write about the tide mill some day? / It's planned for the spring, with pictures. / I'll buy two copies.
?(letters) I wrote that one! I never thought you would print it. / Best letter of the week. Please write again. / You may regret that.
?(interview) What a wonderful person. I could have read twice as much. / So could we. There is a part two. / Hooray!
?(correction) I did wonder about the taste. / You are very polite. / My guests were, too.
?(archive) Any chance of running more from the archive? I look forward to it. / Every {weekday} from now on, readers insist. / Delighted.
?(crossword) Got the crossword! Took me the whole ferry ride. / No spoilers, but well done. / My lips are sealed.
?(<media>) Beautiful picture. Where exactly was that taken? / From the steps below the chapel, just after {clock}. / Must get up there.
?(cups of salt) I made it with the cups of salt. / Oh no. / The gulls wouldn't have it either.
" Only in {town}.
" Local news at its finest.
"(interview) My aunt is in this! Third from left.
`;

export const railway = `
# trains | tags: railway | emoji: 🚂 | plain: yes | weight: 2
> The {morning} to {town} is {minutes} minutes late: [sheep on the line|signal check at {town2}|waiting for the ferry passengers|leaves, we're afraid]. [The sheep are fine.|Thank you for your patience.]
> [Good service|All trains on time] on the coast line {daypart}. [Sit on the left for the sea.|The {clock} has the old carriage with the good seats.]
> Timetable changes from {weekday}: the {morning} now leaves {town} five minutes earlier, [to meet the boat|because the {town2} hill is still a hill]. {link}
>(winter) Snow plow went through to {town2} at dawn. [Line open.|First train took the mail, two doctors and a cello.]
>(autumn,winter) High tides this {weekday}: spray over the line at {place}. [Keep your window shut, or don't.|Trains run slowly past the sea wall.]
>p Steam day on {weekday}: [engine "Marigold"|engine "Number Nine"|little "Wether"] runs to {town} and back, {few} times. [Cinders included.|Wear something you can wash.]
>p {town} station won [best kept garden|best bench|best fire bucket display] again. [{num} pots, one stationmaster.|The {bloom} did it.]
> Found on the {morning}: [a violin case containing sandwiches|one roller skate|a jar of {veg} labelled "URGENT"|a library book, page {num} folded]. [Lost property, {town}.|Ring and describe it.]
> Work on {place} bridge is finished, [two days early|and it no longer sings in the wind]. [Speed limit lifted.|Thank you to the night crew.]
?(late) Will it still make the {clock} ferry? / Yes, {@ferry} is holding it for you. / Small coast, big heart. Thank you.
?(sheep) Whose sheep are they this time? / We've stopped asking. They know the timetable better than we do. / They should be on the payroll.
? Is there room for a bike on the {morning}? / Four hooks in the last coach, first come. / I'll be early.
?(steam) Rode it with my grandson on Saturday. He wants to be a whistle. / Not a driver? / No. A whistle. / We'll see what we can do.
?(urgent) The URGENT jar is mine and it really was urgent. / It's in the station fridge, with a note. / You've saved a supper.
? Which side has the sea view going north? / The right side northbound. Best between {town} and {place}. / Seat chosen.
" Left side, window seat, every time.
" Slow train, best train.
`;
