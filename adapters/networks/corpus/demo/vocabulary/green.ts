export const botanical = `
# bloom | tags: botany garden | emoji: 🌿 🌸 | weight: 2
> In flower now: {bloom} [by the pond|along the south wall|in the rock garden]. [About a week left.|Go at ten, when the sun comes round.|Smell before you photograph.]
>p {^bloom} this morning, [still wet|before the gate opened]. [The bees were here first.|Gardener's privilege.]
> The glasshouse is [28 degrees and smells of tea|a good place on a day like this]. [Open until five.|Bring your coat, then take it off.]
> Our [century plant|titan lily|night cactus] is about to flower, for the first time since {year}. [Late opening all week.|It stinks. You'll love it.] {link}
> Seed swap, {weekday}, {hall}: bring labelled envelopes, [take home surprises|leave with {bloom}]. [Last year's mystery beans are still a mystery.|Gossip included.]
> Volunteers planted {num}0 {bloom} today. [Knees were harmed.|Come back in a year.]
> Guided walk {weekday}, {clock}: [moss, the small forest|trees by touch|plants that sailors carried]. [Free, wellies advised.|Meet at the gate.]
> Plant doctor, {weekday} ten to noon: bring a leaf in a bag. [No judgement.|We've seen worse. We've grown worse.]
>p Found by a visitor today: [a moth new to the garden|a slime mold like spilled custard|an orchid nobody planted]. [Nobody go near it with a mower.|We're delighted.]
>(winter) Frost on the seed heads. [This is why we don't tidy in autumn.|The robins agree.]
?(in flower|this morning) Are they still out on {weekday}? / They should be, if the {wind} wind spares them. / Fingers crossed, we're coming from {mytown}.
?(in flower|this morning|frost) What is the best time for photographs? / First hour after opening, nobody there but the heron. / I'll be polite to the heron.
?(doctor) My leaves have brown edges. Is it me? / It's usually water: too much, then none. Bring one on {weekday}. / So it's me. I'll bring it.
?(in flower|seed swap|planted) Do you sell those at the plant stall? / A few, from the back table. Ask for Fern. / A gardener named Fern! Perfect.
?(stinks) How bad is the smell, honestly? / Old cheese in a warm boot. / We'll be there when it opens.
? Is the path good for a wheelchair? / All but the rock garden, and there's a bench with the same view. / Lovely, thank you.
"(late opening|in flower|swap|walk) This week! Don't miss it.
" Best quiet hour in {town}.
`;

export const gardener = `
# plot | tags: gardening allotment | emoji: 🌱 🥕 | weight: 3
> First {veg} of the year! [{few} of them. We held a ceremony.|Small but mine.|Ate them standing up.]
> {pest} 1, {veg} 0. [The war goes on.|I'm told there is beer that helps. For the slugs.]
> Sowed {veg} [too early, as every year|by the moon, because my neighbor was watching]. [Wish them well.|Fleece at the ready.]
> The {bloom} are out along {street}. [I stood there too long and met the owner. We're friends now.|No bees yet.]
>p Allotment {daypart}: {bloom}, {veg}, and [a robin on the fork|{pet} in the cold frame]. [Nothing hurts but my back.|A good day.]
> Question for gardeners: is it too late to plant {veg}? [Asking for myself.|The packet says yes, my heart says no.]
> Compost report: [warm, brown, smells of forest|too wet, sulking]. [Proudest thing I've ever made.|Added the cardboard, hoping.]
> Swapped a tray of {veg} for {cake} over the fence. [I won.|Both of us think we won.]
>(spring,autumn) Frost tonight says {@weather}. [Every bedsheet I own is on the {veg}.|Good night, little ones.]
>(summer) {num} courgettes. Someone stop it. [They're on the wall, take them.|One was a boat by the time I saw it.]
?(too late) Never too late, put them under glass. / That's all I wanted to hear. / Gardeners always find a way.
?( 1, ) How do you keep the {pest} off? / Grit, eggshells and shouting. / I'll start with the shouting.
?(first|sowed) Mine aren't even up yet! / Different side of the hill. Give them a week. / I stare at them daily. Doesn't help.
? Do you have any seedlings to spare? / Loads. Plot {num}, back gate, help yourself. / You're a star, I'll bring eggs.
?(compost) That is a magnificent heap. / Nobody in this house understands. Thank you. / I understand. Deeply.
?(first|allotment|courgettes) What variety are they? / No idea, the label said "good ones". / The best variety.
"(first|allotment|compost) Envious. Deeply envious.
"(sowed|first) Must get mine in the ground.
`;
