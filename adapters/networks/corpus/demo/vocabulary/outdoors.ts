export const birdwatcher = `
# birds | tags: birds BrindleCoast | emoji: 🐦 🪶 | weight: 4
> {a bird} at {place} {daypart}! [First of the year for me.|Stayed ten minutes, then off {direction}.|I may have squeaked.]
> {num} {common}s at {place}, [counted twice|the highest I've had there], and one {bird} [keeping to itself|among them].
> Sea watch from {place}, two hours, {wind}: {num} gannets, {few} {bird}s, [one seal who was also watching|{drink} twice].
> Is this {a bird} or am I [tired|hopeful]? [Poor light, {place}, about {morning}.|It kept behind the reeds.]
>p {^a common} this morning, [posing|singing from the bin|being robbed by another]. [The common ones are the best ones.|Never gets old.]
>p {^bird}, {place}. [Four hours of cold for one blurry second.|Cropped, then cropped again.|Look at that eye.]
> Nest box camera: [first egg!|three eggs!|all fledged, I'm not crying]. [Tea, chair, no chores.|Family gathered round the screen.]
> Ringing at {place} from dawn: {num} birds, the best {a bird}, [one of ours from last year|wearing a ring from {town}]. [Coffee now.|Tiny, furious, perfect.]
> {pet} scared off the only {bird} of the week. [We're not speaking.|Ah well.]
>(autumn) Geese over {town} at {clock}, so high you only hear them. [That's it, it's autumn.|Everyone on {street} stopped.]
>(spring) First {bird} of spring at {place}. [Right on time.|Two days later than last year.]
+ Later: a second one, with the first. [Well hidden.|Nobody else there to see it, so you'll have to trust me.]
+ Logged it with the county. Go quietly if you go, the path is muddy by the hide.
?(first of the year|stayed ten|squeaked|among them|keeping to) Still there this afternoon? / Yes, from the second hide, look left of the post. / Got it, thank you! What a bird.
?(am I) Looks good to me. Note the wing bar. / Thank you! I hardly dared. / Send it in, it deserves a record.
?(am I) Could it be a young one instead? / That would explain the breast. Now I'm less sure. / Still a nice find.
?(first of the year|stayed ten|squeaked|among them|keeping to) I walked past there at nine and saw only mud. / It hides behind the mud. / Typical.
?(sea watch) Cold? / I could no longer feel my notebook. / A proper sea watch, then.
?(nest box) We had a name list ready by breakfast. / And? / The children chose "Egg".
?(ringing) How do they take it? / With enormous indignation, and then off they go. / I admire that.
? You always find the good ones. / I mostly find mud. The mud does not get posted. / Post the mud!
?(<media>) What lens is that? / The cheap one, and a fence post. / Well, the post did a fine job.
?(first of the year|stayed ten|squeaked|of spring) My first was at the same spot, {num} years ago. / It must be something in the water. / Shrimps, I think.
?(geese|singing) I can hear those from bed. Best thing about living here. / Window open, even in the frost? / Always.
"(first of|stayed ten|squeaked|among|keeping) If you're near {place}, go now.
"(first of|stayed ten|squeaked) I've been looking for one for years!
`;

export const walker = `
# walks | tags: walking BrindleCoast | emoji: 🥾 🌊 | weight: 3
> {num} km along the coast from {town} to {place}. [Two sandwiches, one blister, no regrets.|Met nobody but sheep.]
> Walked out to {place} at low tide. [Back with wet socks and a pocket of shells.|Check the tables first. I nearly didn't.]
> {^road} is [flooded|muddy] past the gate, take the dune path. [{pet} swam.|My boots may never forgive me.]
> {daypart} at {place}: {light} light, [not a breath of wind|wind enough to lean on]. [Stayed too long.|I'll be back.]
>p {place}, {daypart}. [No filter, no people.|The tide had just turned.]
>p Found on the beach: [a float with {town} painted on it|a perfect sea urchin|a boot with a crab in it]. [Left it for the next one.|The crab was in residence.]
> Swim at {place}: [9|11|13|15] degrees. [Screamed politely.|The first minute is a lie.|{drink} after, bliss.]
> Is the path from {town} to {place} open yet? [The sign says one thing, the sheep another.|Asking before I carry {few} sandwiches there.]
> New waymarks on the coast path. [Someone painted each a tiny gull.|Only one points into the sea.]
?(open yet) Open since {weekday}. There's a new gate by the stream. / Marvelous, thank you! / Mind the bull. He's only nosy.
?( km ) Which way round is better? / Towards the lighthouse, so the wind's behind you. / Sold.
?( km |walked) How long does that take at a grandmother's pace? / About three hours with a flask stop. / Make it four, I'm fond of flasks.
?( km |walked) I think we passed you! Red hat? / Red hat! You had the enormous dog. / He says hello.
?(flooded|muddy) Thank you, we were about to go that way with the pram. / The dune path is pram-proof, nearly. / Nearly will do.
?(waymarks) The one into the sea is for the seals. / That explains the queue. / Ha!
?(beach) What did you do with it? / Left it where it was, a bit higher up. / Good. Things like that want finding twice.
?(swim) You're braver than I am. / It's only cold until you can't feel it. / That is not the argument you think it is.
? I needed this today. Thank you. / Go and stand there ten minutes. It works. / I will.
"( km |<media>) Saving this one for {weekday}.
" This is why we live here.
`;

export const photographer = `
# pictures | tags: photography BrindleCoast | emoji: 📷 🌅 | weight: 3
>p {place}, {light} light, {daypart}. [One frame, then the rain came.|Waited an hour for that gull.]
>p {town} from the ferry. [Fog, then suddenly not.|The bakery window is the only light on.]
>p Long exposure at {place}, {num} seconds. [The blur is the tide, the dot is my hat.|The sea turns to milk.]
>p {a bird} on {place}. [It looked at me first.|My knees are soaked.]
>p Portrait of [the ferry's cook|the man who winds the clock|my neighbor, 91|{@bakery}'s apprentice], {town}. [Said "be quick".|Asked to look serious. Failed.]
>p {street} after rain. [Every puddle has a lamp in it.|Walked it up and down until the light was right.]
>v Time lapse: fog coming in at {place}, [an hour in ten seconds|from {clock} on]. [Watch the lighthouse blink.|It swallows the pier.]
> Film back from the lab: {num} frames, {few} good, [one thumb|one I don't remember taking, and it's the best].
> Showing {few} pictures at {hall} from {weekday}. [They are small and so am I, come close.|There'll be {cake}.]
>g Twelve frames of {pet} deciding not to be photographed.
?(<media>) Stunning. What time was that? / A bit past {clock}. Five minutes later it was gone. / You have to be there to be lucky.
?(<media>) Would you sell a print of this? / Yes! Small ones, at {@bookshop} from {weekday}. / I know exactly the wall.
?(looked at me|soaked) Is that a long lens or did you get that close? / Long lens, flat on my stomach, in a puddle. / Dedication.
?(window) I know that window! It's my kitchen. / I hope you don't mind? / Mind? I want one.
?(deciding) I would know that look anywhere. / Frame nine is pure contempt. / Frame nine is my favorite.
?(showing) Is there an opening? With cake? / There will be cake. There is always cake. / Then there will be me.
?(thumb) The thumb is art. / It's in every exhibition I ever had. / A signature.
?(ferry|light|fog|exposure) Where do you stand for that view? / Third bollard from the end, back to the crane. / Off I go.
"(light|fog) Look at that light.
" I walk past this every day and never saw it.
`;

export const sailor = `
# boats | tags: sailing | emoji: ⛵ | weight: 3
> Out past {place} on {a wind} wind, sea {sea}. [Home by dark, salt in everything.|Not another sail.]
> Varnishing day {few}. [The boat is {num}% sandpaper.|It rained at coat three, naturally.]
> Ran aground off {place}. [Softly. Had lunch. Floated off.|Waved to {@ferry} like it was planned.]
> Anyone in {town} have a spare [shackle|fender|tiller pin|pump]? [Mine swam away.|I'll trade it for {cake}.]
>p Sunrise off {place}. [One hand for the boat, one for {drink}.|Worth the cold toes.]
>p She's back in the water! [Only a small leak.|{num} hours of sanding, one bottle of cordial.]
> Overheard on the quay: "[She's not slow, she's thorough.|I read the tide table. I just didn't believe it.|Is it meant to make that noise?]"
> Single-handed to {town2} and back. [Talked to a porpoise, it had views.|Slept like a stone after.]
> {@weather} says [25|30] knots by evening. [Extra lines out.|Crew promoted to cook, we're staying in.]
? Do you ever stay in? / When the kettle is broken. / Fair.
?(overheard) I know that voice. Second pontoon, green hull? / I could not possibly say. / It was my husband.
?(knots by) Sensible. I can hear it in the chimney already. / Soup is on, lines are doubled. / Good night, then.
?(spare) I have one in the shed. Come round after six? / You're a hero. What can I bring? / Cake was mentioned.
?(aground) It happens to all of us on that bank. / Even you? / Twice, once in front of the sailing club.
?(back in the water|varnish) What a lovely boat. How old is she? / Built {year}, in {town2}. Older than the quay. / She wears it well.
?(out past|single-handed|sunrise) Saw you go out! You looked very small. / Felt it, too. / Glad you're back.
? Is there room for a beginner one day? / Always. {weekday}, if the wind's kind. / I get to pull a rope!
"(out past|single|sunrise) Jealous, from my desk.
" Fair winds!
`;

export const rowing = `
# club | tags: rowing | emoji: 🚣 | weight: 2
> Results, {town} head race: {crew} [second by a canvas|won by two lengths|fourth, and laughing], {crew2} [third|first in their class]. [Proud of all of you.|Full list: {link}]
> Training {weekday} {morning}, {stretch}. [Warm socks, thin gloves.|Last one down carries the oars.]
> Water like glass on {stretch} {daypart}. [The {crew} just floated for a minute, listening.|Best session of the year.]
> Learn to row, six {weekday}s, from {few} years older than ten. [All you need is dry clothes for after.|We've only lost one shoe.] {link}
>p New boat! We've named her "[Patience II|Agnes|Slightly Delayed|Tidy]". [Christened with cordial.|She's fast, we aren't yet.]
>p The {crew} at {morning}, sky {light}. [Nobody spoke until the turn.|Cox is asleep.]
>v Start of the {crew} at {town}. [Turn the sound up for the cox.|Watch stroke seat's hat.]
> Thank you to {@bakery} for {num} rolls after the regatta. [They lasted four minutes.|Two rowers cried.]
> Outing called off: {wind}, white caps at {place}. [Ergs and {cake} instead.|The swans have the lake.]
> Lost on {stretch}: [a red seat pad|one left shoe|the cox's voice]. [Please return to the boathouse.|Reward: {cake}.]
?(results) So proud of the {crew}! What a finish. / They had nothing left. Slept on the coach. / They deserve it.
?(learn) I'm {num}. Too old to learn? / Our oldest beginner was 71 and now she coxes. / Sign me up!
?(glass|spoke|start of) Saw you from the bridge. It looked like flying. / On a good day it is. / And on a bad day? / Wet flying.
?(new boat) She looks fast just lying there. / It is all paint so far. / Good paint, though.
?(rolls) The raisin ones went first, I noticed. / You were timing us? / I am the mother of the bow seat. I see all.
?(called off) Ergs are for people without cake. / We have both. / Then I withdraw the remark.
? Do you take visitors along to watch? / Yes, in the launch, if you can sit still. / I can sit very still with a biscuit.
?(left shoe) I've found the shoe. It has a crab in it. / Please thank the crab for looking after it. / It wants to join.
?(cox) Best cox on the water. / Don't, she'll ask for a louder megaphone. / Too late, we gave her one.
?(results) Who came first in the mixed? / {town2}, by a bow ball. We're still arguing kindly. / Rematch!
"(training|glass|results|spoke) Cold hands, happy hearts.
"(start of|results|spoke) That's my sister in seat three!
`;
