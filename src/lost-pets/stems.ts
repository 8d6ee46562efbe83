// A list of words to look up. `пропал*` stands for every word that begins so and has at most six letters more; a word
// without the star stands for itself. The longest entry wins.

export interface Stems<Value> {
  /** The value of a word; undefined: it is not in the list. */
  of(word: string): Value | undefined;
  /** The value of a word that is written as it sounds. */
  ofSound(word: string): Value | undefined;
  /** The value of a word that is misspelt as people misspell: а for о, a doubled letter, a letter left out or swapped. */
  ofMisspelt(word: string): Value | undefined;
}

const shortestMisspelt = 5;
const shortestMistyped = 7;

export function stemsOf<Value>(lists: Iterable<readonly [Value, string]>): Stems<Value> {
  const exact = new Map<string, Value>();
  const open = new Map<string, Value>();
  const sounds = new Map<string, Value>();
  const openSounds = new Map<string, Value>();
  const shortened = new Map<string, Value>();
  let longest = 0;
  for (const [value, words] of lists) {
    for (const entry of words.split(/\s+/).filter((each) => each !== '')) {
      const isOpen = entry.endsWith('*');
      const word = isOpen ? entry.slice(0, -1) : entry;
      longest = Math.max(longest, word.length);
      put(isOpen ? open : exact, word, value);
      if (word.length < shortestMisspelt) continue;
      if (!isOpen || word.length > shortestMisspelt)
        put(isOpen ? openSounds : sounds, soundOf(word), value);
      if (!isOpen && word.length >= shortestMistyped) {
        for (const shorter of withoutOneLetter(word)) put(shortened, shorter, value);
      }
    }
  }

  function prefixed(map: Map<string, Value>, word: string): Value | undefined {
    const from = Math.min(word.length, longest);
    for (let length = from; length >= 2 && word.length - length <= 6; length -= 1) {
      const value = map.get(word.slice(0, length));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  function ofSound(word: string): Value | undefined {
    if (word.length < shortestMisspelt) return undefined;
    const sound = soundOf(word);
    return sounds.get(sound) ?? prefixed(openSounds, sound);
  }

  return {
    of: (word) => exact.get(word) ?? prefixed(open, word),
    ofSound,
    ofMisspelt(word) {
      const alike = ofSound(word);
      if (alike !== undefined || word.length < shortestMistyped - 1 || word.length > 14)
        return alike;
      const near = shortened.get(word);
      if (near !== undefined) return near;
      for (const shorter of withoutOneLetter(word)) {
        const value =
          (shorter.length > shortestMisspelt ? exact.get(shorter) : undefined) ??
          shortened.get(shorter);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}

function put<Value>(map: Map<string, Value>, word: string, value: Value): void {
  if (!map.has(word)) map.set(word, value);
}

const vowels: Readonly<Record<string, string>> = { о: 'а', е: 'и', э: 'и', ъ: '' };

/** How a word sounds without its stress: confused vowels are one, doubled letters are single. */
function soundOf(word: string): string {
  let sound = '';
  for (const letter of word) {
    const heard = vowels[letter] ?? letter;
    if (heard !== '' && !sound.endsWith(heard)) sound += heard;
  }
  return sound;
}

function* withoutOneLetter(word: string): Generator<string> {
  // The first letters are hardly ever wrong, and the last one tells forms apart.
  for (let place = 2; place < word.length - 1; place += 1) {
    yield word.slice(0, place) + word.slice(place + 1);
  }
}
