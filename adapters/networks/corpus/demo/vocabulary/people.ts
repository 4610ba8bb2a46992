export const teacher = `
# school | tags: teaching | emoji: ✏️ 🍎 | weight: 3
> Today we did {lesson}. Best answer: "[It depends who's looking.|Because it wants to.|I'd have to ask the fish.]" [Full marks.|I can't fault it.]
> Class of {num}, one {common} in the room, zero {lesson} learned. [The {common} left by itself. We wrote poems about it.|Best lesson of the term.]
> A pupil asked whether {planet} [is lonely|has Tuesdays|knows about us]. [We wrote to {@observatory}.|Twenty minutes gone. Worth it.]
> Marking {num} essays on {book}. [In one the goat is the hero. It's the best.|Send {drink}.]
> School trip to {@museum} on {weekday}. [Packed: lists, plasters, a spare list.|Only one lost mitten. A record.]
>p Our class {lesson} wall. [Glue everywhere, pride as well.|Note the cat in the corner, it explains everything.]
> {few} weeks to the holidays. [Not that anyone's counting. The door is counting.|The staff room has gone quiet and smells of {cake}.]
> They planted {veg} on the window sill in autumn; today [one came up|it was measured by {num} children]. [Screaming. Joyful screaming.|Its name is Gerald.]
> Any ideas for teaching {lesson} outdoors? [Rain likely. Morale high.|I have chalk, rope and {num} children.]
?(ideas) Use the rope as a number line and let them be the numbers! / Trying that tomorrow. Thank you! / Send pictures of the fractions.
+ And then the bell rang, as it always does at the best part.
+ Tomorrow: the same again, with glitter.
?(answer|pupil) That child will go far. / She's already asked for my chair. / Give it to her.
?(lonely|about us) {planet} has us. Tell them that. / I'm telling them first thing. / Let me know what they say.
? I still remember my teacher doing that with us. / What stayed with you? / That not knowing was allowed.
?(left by itself) It knew the answer all along. / It did look smug. / They always do.
?(trip) One mitten! What is your secret? / String. Yards of string. / Noted for next week.
?(holidays) Ours counts in cakes. Two to go. / We may be in the same staff room. / Look up. I am waving.
?(gerald) How is Gerald? / Two leaves and a fan club. / We're rooting for him.
?(marking) Marking solidarity. I'm on number {num}. / Is there a goat in yours too? / Two goats and a dragon.
" Teachers, you hold it all together.
"(gerald) Gerald!
`;

export const everyday = `
# day | tags: BrindleCoast | emoji: ☕ 🙂 🌊 | weight: 3
> {^drink}, rain on the window, [nothing that can't wait|the good chair]. [{daypart}, solved.|Do not disturb.]
> Lost one glove between {street} and {place}. [Left hand, gray, sentimental.|If you find it, it answers to "Mitten".]
> {^pet} has [learned to open the bread bin|decided that my chair is his|brought me a sock. Not my sock].
> Whoever left {veg} on our step: [thank you|you're lovely|we've made soup], [do tell us who you are|please never stop].
> Overheard on {street}: "[I'm not late, I'm on ferry time.|He's not lost, he's browsing.|It's not a shed, it's a studio.]"
> Power's out in {town}. [Candles, cards, and everybody suddenly on the stairs talking.|Honestly? Best evening in weeks.]
> Moved to {town} {few} weeks ago. [Three people have given me jam.|I know the names of eleven dogs and no people.]
> Fixed the [gate|kettle|radio|bicycle] myself. [There's a screw left over, but it works.|Nobody's as surprised as I am.]
> My {knit} is done after {few} months. [It would fit a horse.|There's a mistake in row {num}, and I'm keeping it.]
> {weekday} and already {num} things on the list. [Added "make list" so I could cross one off.|Sitting down first.]
> Missed the {morning} [by ten seconds|because of {pet}]. [Watched it go. It was beautiful, in its way.|Coffee, then.]
> The whole of {street} smells of {supper}. [Whoever it is, marry me.|I'm following it.]
>p {light} sky over {town} {daypart}. [Went out for milk, came back without.|Stopped the bicycle for this.]
>p {pet}, {daypart}. [No further comment.|Employee of the month.]
?(veg|step) That was us! We have far too many. / You wonderful people. The bowl is on your step, and it is full. / Of what? / Look and see.
?(overheard) I think that was me. / It was a fine sentence. / I was in a hurry. On ferry time.
?(smells of) That will be number eleven. She leaves the window open on purpose. / I was at her door. I got a bowl. / Everyone gets a bowl.
?(horse) A horse would be lucky to have it. / I am told the mistake is its best feature. / It usually is.
?(bicycle.|without.) And the milk? / There will be no milk. There was a sky. / Priorities in order.
?(glove) Found a gray one by the post box! Hung it on the railing. / That's Mitten! Thank you so much. / Reunited. I'm invested in this.
?(moved to) Welcome! Have you been to {@bakery} yet? / Twice today. / You'll do well here.
?(screw) There is always a screw left over. It's the tax. / I've kept it in a jar with the others. / We all have that jar.
?(bread bin|chair is his|a sock) Mine does that as well. I think they talk. / Should we be worried? / I've started locking the butter away.
?(power) It was lovely, wasn't it? We played cards with the neighbors till midnight. / Who won? / The eight-year-old. By cheating.
?(missed|on the list|good chair) Same here, to the minute. / We should start a club. / Meetings start late, I take it.
? This made me smile. Thank you. / Then it was worth it. / Have a good evening!
?(bread bin|chair is his|a sock) Photo, please! / When I find the camera. He's sitting on it, I think. / Of course he is.
" The most {town} thing I've read today.
" Same.

# asks | tags: BrindleCoast | emoji: 🙏 | plain: yes | weight: 1
> Does anyone know [someone who mends bicycles|a good piano tuner|who sharpens scissors|a patient driving teacher] near {town}? [Asking with greasy hands.|Thank you, kind people.]
> Best place for [breakfast|a quiet coffee|fish and chips|a rainy afternoon] in {town}? [Visitors on {weekday}.|My sister has opinions, so choose well.]
> Free to a good home: [a wardrobe|forty jam jars|an upright piano, two keys shy|a rocking chair], {street}. [Bring a friend and a van.|It's heavy and so are its memories.]
> Looking for {few} people for [a quiz team|a board game evening|a walking group|a soup swap], {town}, {weekday}s. [No skill needed.|Snacks are a must.]
?(mends|sharpens) Try the workshop behind {hall}, ask for Ivo. / Ivo it is, thank you! / Tell him the kettle lady sent you.
?(best place) {@bakery}, window table, early. / Do they take bookings? / No, only luck.
?(free to) Is it still there? / It is! Come by after five? / Borrowing a van as we speak.
?(looking for) Count me in. I bring {cake} and no knowledge. / Exactly the profile we're after. / See you then!
?(does anyone know) Ask at {@library}, they know everyone. / Why didn't I think of that? / Nobody does, and it always works.
"(does anyone|looking for|best place) Can anyone help?
`;
