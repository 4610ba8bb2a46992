export const bakery = `
# today | tags: bakery | emoji: 🥐 🍞 | weight: 3
> Out of the oven: {bread}, {bread2} and {cake}. [Still warm until ten.|The queue is friendly.|Come by {street}, follow your nose.]
> Sold out of {cake} by {morning}. [More on {weekday}.|We doubled the batch and it made no difference.|You lot.]
> Today's soup is {supper}, with a slice of {bread}. [While it rains, it's half price.|Served until three or until it's gone.]
> Up since three, {bread} in since four, [radio on|windows steamed]. [Good morning, {town}!|The lamplighter says hello.]
>p First batch of {cake} of the [season|year]. [The ugly one is the baker's.|Nobody has been allowed to touch them. Yet.]
> The {bread} [refused to rise|came out flat] today. [We're calling it {bread2} and hoping.|Half price, full flavor, sorry.]
> Question of the day: {cake}, with or without raisins? [This has split the bakery.|The apprentice has stopped speaking to us.]
>p New on the shelf: {bread} with [seaweed and barley|roasted onion|honey from {place}]. [Tell us honestly.|Second try. The first one went to the gulls.]
> Closed {weekday} for [oven repairs|the baker's daughter's wedding|a rest]. [Buy two on the day before.|Back with {cake}.]
> Our starter is {num} years old this week. [It has outlived two ovens and a bicycle.|There will be cake for it. Not made from it.]
?(oven|sold out|batch|shelf) Could you keep me two, please? / In a bag with your name, until noon. / You're an angel of flour.
?(raisins) Without. Obviously. / The apprentice would like to shake your hand. / Tell them to stay strong.
?(oven|up since|batch) I can smell it from the station. / That's the extractor doing its job. Come down! / Already walking.
?(oven|batch|shelf|soup|up since) Is any of it without milk? / The {bread} and all the plain loaves, yes. / Perfect, thank you.
? We had yours for breakfast in {mytown}, brought over on the first boat. / Then it's better travelled than we are. / It was worth the crossing.
?(refused|flat) I would eat that with butter and not say a word. / You are a friend of this house. / Two, please.
?(closed) Enjoy it! You have earned a lie-in. / Four o'clock will feel like luxury. / Sleep until five, go wild.
?(starter) Happy birthday to the jar. / It bubbled. We think it heard you. / Wise jar.
?(oven|batch|shelf) Any chance of the recipe? / On the back of the bag from {weekday} on. / I shall buy a bag, then, tragically full of buns.
?(sold out) I was too late again. / Come at eight and knock on the side door. Say the gull sent you. / I feel I've joined something.
" I'm not saying I ran. But I ran.
"(oven|batch|sold) Someone near {street} please save me one.
"(oven|up since|batch) Breakfast, decided.
`;

export const cook = `
# kitchen | tags: cooking | emoji: 🍲 🥧 | weight: 3
> Made {supper} from what was left: {veg}, half an onion and [optimism|a heel of cheese]. [Best thing this week.|{pet} disagrees.]
> My {bread} has a hole you could [rent out|moor a boat in]. [Tastes fine. We're calling it rustic.|What did I do wrong?]
> {daypart}: {supper}, rain on the window, [radio play|nowhere to be]. [Ten out of ten.|Come over, there's enough.]
>p {cake}, attempt {few}. [Lopsided but edible.|Finally!|The corner piece is already gone, don't ask.]
> {veg} from the garden, {bread} from {@bakery}, [butter|good salt]. [Sometimes that's supper.|I want for nothing.]
> What do you do with too many {veg}? [I've run out of neighbors.|I've made soup three times.]
> Grandmother's recipe for {cake} says "[enough flour|bake until it's right|as your aunt does it]". [Thank you, grandmother.|Which aunt?]
> Jam day: {num} jars, {few} burns, [one wooden spoon lost|the whole street smells of sugar].
?(hole|attempt) Did you fold it cold? That's usually where mine goes wrong. / I did not. Trying again on {weekday}. / Report back!
?(too many) Pickle them! Vinegar, sugar, salt, mustard seed, done. / That I can manage. How long do they keep? / Until you open them.
?(too many) Leave some on the wall outside. They'll be gone in an hour. / They were gone in ten minutes! / I may have had some help.
?(<media>|made|supper) That looks wonderful. Recipe? / Onion, patience, the rest is whatever's there. / My kind of recipe.
?(jam day) Two jars for a dozen eggs? / Three jars and you bring the news. / I have so much news.
?(bakery|supper) That is the whole secret, isn't it. / Good bread and nobody ringing. / Nobody ringing, above all.
?(aunt) It's always the aunt nobody liked who could bake. / She took it to her grave, with the good tin. / A villain. A legend.
?(come over|ten out|corner piece|jam day|<media>) I'm coming over. / Bring a spoon. / Already have two.
" Now I'm hungry.
"(made|supper|recipe) Making this on {weekday}.
`;
