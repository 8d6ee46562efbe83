// What the ending of a Russian word says of it. It is found out once for each word: word-facts.ts remembers it.

export interface Ending {
  readonly adjective: boolean;
  /** Of a verb, as far as names do not end so. */
  readonly verb: boolean;
  /** Of a town, if the word has a capital letter: `Ключевск`, `Косулино`. */
  readonly town: boolean;
  /** Of a town, even in lower case. */
  readonly surelyTown: boolean;
  /** Of a village or a town, where it stands alone: `Калиновка`, `Тарасково`. */
  readonly village: boolean;
  /** Of a father's name: `Ивановна`. */
  readonly patronymic: boolean;
  /** Of a word that begins sentences without being a name. */
  readonly common: boolean;
}

const adjective =
  /(?:ий|ый|ой|ая|яя|ое|ее|ые|ие|ом|ем|ую|юю|ого|его|ому|ему|ым|им|ых|их|ыми|ими|ской|цкой|ней|шей|ьей|щей)$/;
const verb =
  /(?:ется|ится|ются|ятся|ались|ились|ться|ите|ете|ешь|ишь|уйте|айте|йте|али|или|ыли|ела|ила|ыла|шла|шел|ули)$/;
const town = /(?:[а-я]{3}(?:ск|ске|ска|град|граде|бург|бурге|горск)|[а-я]{2}(?:ово|ево|ино|ыно))$/;
const surelyTown = /[а-я]{5}(?:инск|имск|овск|евск|орск|уральск|анск|ецк|ске)$/;
const village = /[а-я]{3}(?:[ое]во|[иы]но|[ое]вка|ск|цк|град|горье|иха)$/;
const patronymic =
  /[а-я]{2}(?:ович|евич|овн[аеуы]|евн[аеуы]|ичн[аеуы]|овной|евной|овича|евича|овичу|евичу)$/;
const common =
  /(?:ая|яя|ый|ое|ые|ие|ен|ан|на|ны|ет|ит|ят|ут|ю|ешь|ла|ли|ло|ться|тся|сь|те|ики|очки|очка|ечка|но|че)$/;

export function endingOf(word: string): Ending {
  return {
    adjective: adjective.test(word),
    verb: verb.test(word),
    town: town.test(word),
    surelyTown: surelyTown.test(word),
    village: village.test(word),
    patronymic: patronymic.test(word),
    common: common.test(word),
  };
}
