/** Neighbors and visitors who write in their own language; slots are all names, so that they fit any of them. */
export const ABROAD: Readonly<Record<string, string>> = {
  fr: `
# jours | tags: BrindleCoast | emoji: ☕ 🌊 | weight: 1
> [Première|Deuxième|Troisième] semaine à {town}. [Le pain est excellent, la pluie aussi.|Je connais déjà tous les chiens du port.]
> Brouillard sur {town} ce matin. [On n'entend que la cloche du ferry.|J'ai raté le bateau, tant pis, un café.]
>p Lumière du soir à {town}. [Pas un bruit.|Je ne m'en lasse pas.]
> J'ai vu la comète ! [Toute petite, toute verte.|Mon fils a dit : un pissenlit.] Merci {@observatory}.
> Quelqu'un aurait-il un vélo à prêter à {town} [ce samedi|dimanche] ? [Je rapporte une tarte.|Le mien a rendu l'âme.]
> Retour du marché de {town} avec [trop de fromage|des prunes et une chaise]. [Je ne regrette rien.|C'était inévitable.]
> Lecture du soir : {book}, [en traduction|acheté à {@bookshop}]. [J'adore.|Encore un chapitre et je dors. Promis.]
?(<media>) Quelle belle photo ! / Merci ! C'était juste avant la pluie. / On devine les nuages.
?(vélo) J'en ai un vert, un peu rouillé, il est à toi. / Formidable, merci mille fois ! / La tarte aux prunes, s'il te plaît.
?(semaine) Bienvenue dans la région ! / Merci, tout le monde est si gentil ici.
?(comète) Nous aussi, depuis {mytown} ! C'était de quel côté ? / Vers l'ouest, juste au-dessus du phare. / Merci, on ressort ce soir.
?(brouillard) Ici aussi, on se croirait dans un bol de lait. / Avec une cloche au fond. / C'est exactement ça.
?(lecture) J'ai adoré la fin, mais chut. / Ne dis rien ! / Promis.
?(fromage|marché) Il n'y a jamais trop de fromage. / Voilà, c'est ce que j'ai dit à la chaise.
" Tout à fait ça.
`,
  es: `
# dias | tags: BrindleCoast | emoji: ☕ 🌊 | weight: 1
> Tres [días|semanas|meses] en {town} y ya me saludan [las gaviotas|todos los perros del puerto]. [Me quedo.|Qué sitio.]
> Niebla otra vez en {town}. [El ferry sale tarde, pero hay chocolate caliente.|No se ve ni el faro.]
>p Amanecer en {town}. [Sin palabras.|Valió la pena madrugar.]
> ¡He visto el cometa desde {town}! [Pequeño y precioso.|Mi hija no se lo creía.] Gracias, {@observatory}.
> ¿Alguien sabe dónde arreglan bicicletas en {town}? [La mía hace ruido de barco.|Pago con galletas.]
> Hoy en el mercado de {town}: [tomates que huelen a tomate|queso, pan y una charla de una hora]. [Felicidad.|Vuelvo el sábado.]
> Leyendo {book} junto a la ventana. [Llueve, claro.|No quiero que se acabe.]
?(<media>) ¡Qué bonito! ¿Dónde es exactamente? / Al final del muelle, pasado el faro. / Mañana voy.
?(bicicletas) Detrás del mercado hay un taller, pregunta por Ivo. / ¡Mil gracias! / De nada, suerte con la bici.
?(ya me) ¡Bienvenida! Prueba los bollos de {@bakery}. / Ya van cuatro. / Vas por buen camino.
?(cometa) ¡Nosotros también, desde {mytown}! / ¿A que parece un diente de león? / Eso mismo dijo mi madre.
?(niebla) Aquí igual, ni la acera se ve. / Chocolate y paciencia. / Más chocolate que paciencia.
?(leyendo) El final es precioso, ya verás. / ¡No me cuentes nada! / Ni una palabra.
?(mercado) ¿Estaba la señora del queso? / Estaba, y te manda saludos. / Qué ilusión.
" Exactamente esto.
`,
  de: `
# tage | tags: BrindleCoast | emoji: ☕ 🌊 | weight: 1
> [Zweite|Dritte|Vierte] Woche in {town}. [Ich kenne elf Hunde und drei Menschen beim Namen.|Das Brot ist gut, der Regen auch.]
> Nebel in {town}. [Man hört nur die Glocke der Fähre.|Fähre verpasst, Kaffee gewonnen.]
>p Abendlicht über {town}. [Kein Wind, kein Laut.|Ich bleibe noch fünf Minuten.]
> Den Kometen gesehen! [Klein, grün, wunderschön.|Die Kinder waren ganz still.] Danke, {@observatory}.
> Hat jemand in {town} eine [Leiter|Luftpumpe|Kuchenform] zum Ausleihen? [Kuchen gibt es als Dank.|Meine ist beim Nachbarn verschollen.]
> Auf dem Markt in {town}: wollte Äpfel, habe jetzt [einen Stuhl|drei Käse und ein Glas Honig]. [Wie immer.|Keine Fragen.]
> {book} ausgelesen. [Und jetzt?|Den letzten Satz dreimal gelesen.]
?(<media>) Wunderschön! Wo ist das? / Ganz am Ende der Mole. / Da muss ich morgen hin.
?(ausleihen) Ja, hier, hol sie gern nach fünf ab. / Großartig, vielen Dank! / Der Kuchen darf mit Pflaumen sein.
?(woche) Willkommen an der Küste! / Danke, hier grüßt wirklich jeder.
?(kometen) Wir auch, von {mytown} aus! Mit bloßem Auge? / Mit dem Fernglas, über dem Leuchtturm. / Dann gleich noch einmal hinaus.
?(nebel) Hier auch. Ich habe die Katze für den Nachbarn gehalten. / Hat er gegrüßt? / Sie hat gegrüßt.
?(ausgelesen) Und, wie ist das Ende? / Schön. Traurig. Schön. / Schon vorgemerkt.
?(markt) Den Honig vom Stand am Brunnen? / Genau den. / Eine gute Wahl.
" Genau so ist es.
`,
  pt: `
# dias | tags: BrindleCoast | emoji: ☕ 🌊 | weight: 1
> [Primeira|Segunda|Terceira] semana em {town}. [Já conheço todos os cães do cais.|Chove muito, mas o pão é ótimo.]
> Nevoeiro em {town}. [Só se ouve o sino do barco.|Perdi o barco, ganhei um café.]
>p Fim de tarde em {town}. [Sem vento, sem pressa.|Fiquei até escurecer.]
> Vi o cometa! [Pequenino e verde.|O meu avô teria adorado.] Obrigada, {@observatory}.
> Alguém em {town} sabe quem afina pianos? [O meu soa a gaivota.|Pago com bolo de laranja.]
> Hoje no mercado de {town}: [maçãs, mel e muita conversa|fui por ovos, voltei com uma cadeira]. [Não me arrependo.|Sábado há mais.]
> A ler {book} na biblioteca. [Só mais um capítulo.|Que livro tão bonito.]
?(<media>) Que fotografia linda! / Obrigada! Foi mesmo antes da chuva. / Nota-se nas nuvens.
?(pianos) Pergunta na {@library}, eles conhecem toda a gente. / Boa ideia, obrigada! / Boa sorte com o piano.
?(semana) Bem-vinda! / Obrigada, são todos tão simpáticos.
?(cometa) Nós também, de {mytown}! Que coisa tão bonita. / Parecia um dente-de-leão. / Foi o que disse a minha filha.
?(nevoeiro) Aqui também, nem se vê a rua. / Café e paciência. / Guarda-me uma chávena.
?(ler) Gostei tanto desse! Não saltes o capítulo da ilha. / Estou mesmo a chegar lá. / Que inveja.
?(mercado) As maçãs da banca do fundo? / Essas mesmas. / São as melhores.
" É mesmo isto.
`,
};
