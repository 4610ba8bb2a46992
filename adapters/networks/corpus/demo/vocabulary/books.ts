export const library = `
# reading | tags: reading library | emoji: 📚 | weight: 3
> Reading tonight, {clock}, {hall}: {book}, read aloud by [candlelight|the fire|three of our volunteers]. [Bring knitting.|Tea after chapter two.|Chairs from half an hour before.]
> Story time on {weekday} at 10:30. This week: [bears|boats|a very small dragon|the moon]. [Blankets provided.|Grown-ups may stay, quietly.]
> The [Tuesday|Thursday] book circle has finished {book} and [cannot agree about the ending|is demanding a sequel]. New readers welcome, {weekday} at {clock}.
>p {num} people came to hear {book} last night. [We ran out of chairs and then out of floor.|Somebody cried, it was the head librarian.]
> Poetry evening, {weekday}, {hall}. [Five minutes each, the bell is merciless.|Read your own or someone else's.] Sign up at the desk.
> Author of {book} visits us {weekday}. [Free, but take a ticket at the desk.|She has promised to explain the goat.]
?(tonight) Is there still room tonight? / Yes, about a dozen chairs. Come by the side door. / On my way!
?(circle|author) Can I come if I haven't finished the book? / Half of us never finish. Come for the cake. / My kind of club.
?(story time) My son talked about it all the way home. Thank you! / He asked the best question of the morning. / That sounds like him.
?(poetry|visits|tonight) Will it be recorded? / The reading, yes, the arguing, no. Up on our site by {weekday}. / Shame, the arguing is the best part.
?(came to hear) I had a spot on the floor, and it was the best seat in the house. / Next time you get a cushion, promise. / I will hold you to it.
?(circle) Who has it wrong, in your view? / We promised to stay neutral. But: the back row. / I knew it.
? Is the hall step-free? / Yes, by the Quay side entrance. Ring and we'll open it. / Wonderful, see you there.
"(tonight|visits|poetry) Going to this. Who's with me?
" Last time I laughed so much I dropped my tea.

# shelves | tags: library | emoji: 📖 🔎 | weight: 3
> New on the shelves: {book}, [{few} copies|one copy and a long queue], and a whole cart of {genre}.
> Most borrowed this month: {book}. [Third month running.|We have ordered two more.|Nobody admits to being the one who keeps renewing it.]
> Found inside a returned book: [a pressed fern|a ferry ticket from {year}|a recipe for plum jam|a love letter, unsigned|a bus ticket and a feather]. [Yours? It waits at the desk.|We put it in the little frame by the door.]
> {book} came back today, [eleven|{num}] years overdue, with [a box of chocolates|an apology in verse|no comment]. [No fines here. Welcome home, book.|We have forgiven everyone.]
> Staff pick: {book}. "[I missed my stop twice.|Quiet, odd and kind.|It smells of rain in the best way.]" Find it under {genre}.
>p Our {genre} corner has moved to the [window|landing|sunny room]. The armchair moved with it, [by popular demand|after negotiations].
> We are looking for [old photographs of {street}|diaries and letters from {town}|recordings of the {town} fair]. Scanned while you wait, [returned with thanks|and with tea].
+ And yes, you can reserve it from home: {link}
+ If it's out, ask us for something like it. This is our favorite question.
?(new on|most borrowed|staff pick) Could you put me on the list for it? / Done, you are number {few}. It moves quickly. / Thank you! I'll be patient. Mostly.
?(new on|most borrowed|staff pick) I loved that one. Is there anything similar? / Try {book2}. Same weather, different secrets. / Reserved!
?(found inside) I think that might be my grandmother's. She lost one just like it! / Come by and have a look, we kept it safe. / Coming on {weekday}. She will be thrilled.
?(overdue) No fines at all? / None. We just miss the books. / I have a confession and a full bag.
?(looking for) My aunt kept every postcard she ever got. Would those do? / They would do very nicely. Any {weekday}, ask for the scanner. / She will want to watch.
?(corner) The armchair in the sun! I may move in. / There is a waiting list of one cat. / I can share.
? Do you take donated books? / {weekday} mornings, two bags at most please. / That rules out my hallway, but I'll start.
" Libraries are the best thing we ever made up.
" This is why I love our library.

# opening | tags: library | emoji: 🕯️ | weight: 2
> Open until nine tonight. [It is warm, the lamps are on and nobody will ask you to buy anything.|The rain is free too.]
> We are closed on {weekday} morning for [a new boiler|the great reshelving|dusting the globe]. Book drop is open, [the cat isn't for lending|as is the bench].
> Quiet hour is now {weekday} from nine to ten. [No beeps, soft lamps.|Even the kettle has been spoken to.]
> Mobile library this week: {town} on Monday, {town2} on Wednesday, {town3} on Friday. [Wave and it stops.|Look for the green van.]
> Homework club needs [two|three] more helpers, {weekday} from four. [Patience matters more than {lesson}.|Biscuits are included.]
?(open|closed|quiet) What time do you open on Sundays? / Eleven to four, all year. / Thank you!
?(homework) I could help with homework club. Do I need to be a teacher? / Not at all. Come and say hello on {weekday}. / I will!
?(mobile) Does the van still stop at {place}? / It does, about half past two, by the big tree. / Great news for my aunt.
?(open until) Is the reading room heated? / Toasty. Choose the desk by the radiator before the students find it. / Insider knowledge.
" Warm, dry, free. What a place.
`;

export const bookshop = `
# counter | tags: bookshop | emoji: 📚 ☕ | weight: 1
> Customer just asked for "[the blue one with the boat|that book about the man who is sad near water|the one my sister read]". [We found it. It was {book}.|It was {book}. It is always {book}.]
> In today's boxes: {book}, {book2}, and [more {genre} than one shop should have|a calendar we did not order].
> Rainy {weekday}. [Buy a book, get a dry chair.|The kettle is on, and we have found another half shelf of {genre}.]
> Signed copies of {book} are in. [The author also signed one of our tables.|{few} left, no pushing.]
>p New window! This month: {genre}. [The paper {common} took all night.|Count the lighthouses and win a bookmark.]
> Somebody moved all the {genre} to eye level. [You know who you are, and we've left it.|Sales have doubled.]
> Blind date with a book: wrapped, [three clues on the label|no clues at all], {weekday} only. [Last time a man came back to marry one. The book, he said.|No returns, only surprises.]
> Recommend us one book for [a long ferry ride|a ten-year-old who likes maps|a reader who is tired]. We'll start: {book}.
?(signed|boxes|blind) Could you keep a copy for me until {weekday}? / It's behind the counter with your name on it. / Best shop on {street}.
? What did you think of {book2}? / Slow for fifty pages, then we closed late because of it. / Sold.
?(recommend) I'd say {book2}. I've given it away five times. / Good choice. We've just put it on the table by the door. / My work here is done.
? Do you post to the islands? / Yes, by {@ferry}, Tuesdays and Fridays. / Wonderful, I'll send a list. A long list.
? The shop cat ignored me today. / It ignores everyone on {weekday}s. Do try again. / I respect the schedule.
?(window) Is that window as good in real life? / Better, it has fairy lights. / Coming by after work.
" Trouble. I cannot walk past this shop.
" My whole shopping list, honestly.
`;

export const reader = `
# reading now | tags: amreading | emoji: 📖 | weight: 3
> Halfway through {book} and I [have no idea who to trust|would like to live in it|keep reading bits aloud to {pet}].
> Finished {book} on the ferry. [Sat there until everyone had left.|Missed {place} entirely.|A perfect last line.]
> Abandoned {book} at page {num}. [Life is short and it was only weather.|Tell me I should go on?]
> {book} or {book2} next? [Raining, no plans, one pot of tea.|I have the whole weekend.]
>p Bookshop haul from {@bookshop}. [I went in for a card.|I can explain.|Nobody tell my shelves.]
> Reserved {book} at {@library} and I am number {num} in the queue. [This town reads.|See you all next year.]
> Reading {book} for the third time. [It's a different book every ten years.|This time I noticed the clock.]
> Our book circle met at {hall} to discuss {book}. We discussed [soup|the new ferry times|everyone's knees], then for ten minutes {book}.
?(halfway|reserved|third time|finished) Oh, I adored that one! / No spoilers please! / My lips are sealed. But message me at chapter twelve.
?(abandoned) Go on with it, it changes completely around page {num}. / Fine. You have until page {num2}. / You'll thank me.
?(next?) {book2}, without question. / That was quick! / I have opinions.
?(abandoned) I gave up on it too and felt guilty for weeks. / Let's start a club for people who didn't finish. / Meetings end early, I hope.
?(haul) Your secret is safe with me. I was behind you in the queue. / Then you have secrets too. / Four of them.
?(circle) Ours spent an hour on cheese. / Any conclusions? / It was a very good cheese.
? Adding it to the pile. The pile is now structural. / Mine holds up the stairs. / We should compare.
?(finished|halfway|third) Is it very sad? I need something kind this week. / A little sad, then very kind. / Exactly right then.
?(<media>) Which edition is that? What a beautiful cover. / Found it second-hand at {@bookshop}, two coins. / I'm off to look for another.
" Has anyone else read this? I need to talk.
" Putting this on my list.
`;
