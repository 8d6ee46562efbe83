// Where the lists stand: below each other, or in two columns where the screen is wide; and how many rows each gets.

import type { Section, SectionName } from './sections.ts';

export interface Area {
  readonly section: Section;
  readonly columns: number;
  /** With its title. */
  readonly rows: number;
}

interface Room {
  readonly columns: number;
  readonly rows: number;
}

const wideEnough = { columns: 150, rows: 16 };
const leftSide: readonly SectionName[] = ['channels', 'groups'];
/** What stands between the two sides takes so many columns. */
const between = 3;

/** The lists of each side, from the left. */
export function areasOf(
  sections: readonly Section[],
  focus: SectionName,
  room: Room,
): (readonly Area[])[] {
  const isWide = room.columns >= wideEnough.columns && room.rows >= wideEnough.rows;
  if (!isWide) return [stacked(sections, focus, room)];
  const left = Math.floor((room.columns - between) / 2);
  const right = room.columns - between - left;
  return [
    stacked(sections.filter(isLeft), focus, { ...room, columns: left }),
    stacked(
      sections.filter((each) => !isLeft(each)),
      focus,
      { ...room, columns: right },
    ),
  ];
}

function isLeft({ name }: Section): boolean {
  return leftSide.includes(name);
}

/** The list that has the focus grows three times as fast as the others. On a small screen it is there alone. */
function stacked(
  sections: readonly Section[],
  focus: SectionName,
  { columns, rows }: Room,
): Area[] {
  const fits = rows >= sections.length * 2;
  const shown = fits ? sections : sections.filter((each) => each.name === focus).slice(0, rows);
  const heights = shown.map(() => 1);
  let left = rows - shown.length;
  const wants = (n: number): boolean => (heights[n] ?? 0) <= (shown[n]?.entries.length ?? 0);
  while (left > 0 && heights.some((_, n) => wants(n))) {
    for (const [n, { name }] of shown.entries()) {
      const share = name === focus ? 3 : 1;
      for (let given = 0; given < share && left > 0 && wants(n); given += 1) {
        heights[n] = (heights[n] ?? 0) + 1;
        left -= 1;
      }
    }
  }
  return shown.map((section, n) => ({ section, columns, rows: heights[n] ?? 1 }));
}
