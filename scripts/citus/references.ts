// The relations and functions that a function names, directly and through others.

import type { Catalogue, Routine } from './catalogue.ts';

interface References {
  /** Relations that a function reaches, also through other functions and through views. */
  readonly reached: (routine: Routine) => ReadonlySet<string>;
  /** Functions that a function calls, also through others, and itself. */
  readonly called: (routine: Routine) => ReadonlySet<Routine>;
}

/** The names in schema outrider, which are always qualified; comments do not count. */
function namesIn(body: string): Set<string> {
  const code = body.replaceAll(/--.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return new Set([...code.matchAll(/\boutrider\.([a-z_0-9]+)/g)].map(([, name = '']) => name));
}

export function referencesOf({ relations, routines }: Catalogue): References {
  const known = new Set(relations.map((each) => each.name));
  const byName = Map.groupBy(routines, (each) => each.name);
  const names = new Map(routines.map((each) => [each, namesIn(each.body)]));

  function called(routine: Routine): Set<Routine> {
    const found = new Set([routine]);
    // The loop also visits what it adds.
    for (const each of found) {
      for (const name of names.get(each) ?? []) {
        for (const other of byName.get(name) ?? []) found.add(other);
      }
    }
    return found;
  }

  function reached(routine: Routine): Set<string> {
    const all = [...called(routine)].flatMap((each) => [...(names.get(each) ?? [])]);
    return new Set(all.filter((name) => known.has(name)));
  }

  return { called, reached };
}
