/**
 * The night of the comet, written by hand: a long thread that exists at every start, with the same ids. A line is
 * `SPEAKER minutes> text`; indented by two spaces per level it answers the nearest line one level up. `obs` is the
 * observatory; a letter is a neighbor, the same one throughout.
 */
export const COMET_NIGHT = `
obs 0> Good evening! Comet Aldermoor will be at its best tonight, and we will log the night here, from dusk to dawn. A thread. #comet #SkyWatching
  obs 14> 18:20. Shutters open. Sky clear to the sea, a little haze over Gullscar. The night team: Maren at the dome, Tobias at the camera, Ruth at the kettle.
    obs 47> 18:53. First sight! With binoculars, low in the west, above the ferry mast. A soft green dot with a tail like a breath on a window. #comet
      obs 83> 19:29. Naked eye now. If you can see the three stars of the Oar, follow them down to the right. Do not hurry. It waits.
        obs 121> 20:07. The hill is full. We count 340 people, 22 dogs and one goat. Red torches only, please. You are all being very good.
          obs 168> 20:54. A school bus from Hollowfen stopped on the road and everybody got out. Nobody spoke for a full minute.
            obs 214> 21:40. The tail is eleven degrees long on our pictures. That is your fist at arm's length, and a thumb.
              obs 263> 22:29. Some of you asked what it is made of. Ice, dust, and carbon that glows green. It smells, we are told, of bad eggs. Space keeps the smell.
                obs 305> 23:11. Fog coming in from the north. The ferry has kindly turned off her deck lights. Thank you, @brindleferries!
                  obs 352> 23:58. Gap in the fog. A cheer from the hill that the lighthouse keeper says he heard.
                    obs 446> 01:32. The last visitors have gone home. Four of us left, and the comet, and a hedgehog.
                      obs 551> 03:17. Quiet. The comet is setting. It was last here when nobody on this hill could write. Somebody looked up, though. We are sure of that.
                        obs 664> 05:10. Dome closed. 412 frames, 61 liters of cocoa, one lost mitten (red, left). Thank you for looking up with us. Good morning. #comet
                          h 672> I walked home along the water and kept turning round. Thank you for tonight.
                            obs 676> Thank you for coming all that way, and for the soup.
                          k 681> The mitten is ours! She says the comet can keep it.
                            obs 684> We have hung it on the big telescope until she is ready.
                              k 688> She is delighted. She says it is now a scientific mitten.
                        b 556> Reading this at the kitchen table at three in the morning with tears in my tea.
                          obs 561> Go to bed, friend. It will be there tomorrow.
                      i 449> A hedgehog! Did it look up?
                        obs 452> It looked at the biscuits.
                    j 355> That was us! All of us! I have no voice left.
                    l 357> Heard it in the lantern room. I rang the bell back.
                      obs 360> We heard you. The whole hill went quiet and then laughed.
                  brindleferries 308> Our pleasure. Forty passengers on deck and not one of them wanted to get off.
                    c 314> I was one of them. The engine went silent and somebody began to sing.
                      brindleferries 318> That was the cook.
                d 268> Bad eggs! My class will talk about nothing else until summer.
                  obs 271> You are welcome, and we apologize to the parents.
              e 220> Can a phone take a picture of that?
                obs 224> Yes! Lean it on something, night mode, three seconds or more. Do not breathe.
                  e 239> It worked! A green fluff over the chapel! I am never deleting this.
                    f 243> It really did work. Mine has half a goat in it.
            d 171> I was driving that bus. Fifty-one children, silent. It has never happened before.
              obs 175> We saw you. Please bring them back in daylight, they can see the telescope.
                d 179> They have already asked. Twice. Each.
          f 124> The goat is mine. She wanted to come.
            obs 128> She is very welcome, and has excellent manners near the cables.
              g 131> I can confirm. She ate only one program.
        a 88> Found it! My father is 84 and he saw it before I did.
          obs 92> Please tell him that the chair by the door is his, any night he likes.
            a 97> He is putting on his good coat.
        b 95> Is it moving? It looks so still.
          obs 99> About 40 km every second. It is only that far away.
            b 102> I have to go and stand in the garden about this.
      c 52> Clouds here in Tarnwick. Please describe it to me like a friend.
        obs 57> It is small and quiet and looks as if it came a long way to say hello.
          c 61> Thank you. That is exactly what I needed.
  g 20> Bringing four children and a flask. Is there any room left on the hill?
    obs 24> Plenty, if you stand by the wall. The view is better there anyway.
`;
