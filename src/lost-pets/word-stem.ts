// The part of a Russian word that its forms share, so that a table needs one entry for all of them.

const endings =
  /(?:иями|ями|ами|ыми|ими|его|ого|ему|ому|иях|иям|ией|ием|ев|ов|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|их|ых|ую|юю|ая|яя|ою|ею|ию|ью|ия|ья|ье|ам|ям|ах|ях|а|е|и|й|о|у|ы|ь|ю|я)$/;
const shortest = 3;

/** `собаками` is `собак`; `потерялась` is `потерялся`, because `потеряла` is another word. */
export function wordStemOf(word: string): string {
  const reflexive = word.length > shortest + 2 && (word.endsWith('ся') || word.endsWith('сь'));
  const verb = reflexive ? word.slice(0, -2) : word;
  const stem = verb.replace(endings, '');
  const kept = stem.length >= shortest ? stem : verb;
  return reflexive ? `${kept}ся` : kept;
}
