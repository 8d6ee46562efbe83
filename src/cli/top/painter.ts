// Brings frames to the screen. The line may be slow: a frame is only made when the line has taken the one before. What
// happened meanwhile is in it, and frames that nobody could have seen are never made. So at most one frame is in the line.

import { cellsOf, type Line } from './cells.ts';
import { changeOf, type Frame } from './frame.ts';
import type { Size } from './picture.ts';
import type { Screen } from './screen.ts';

export interface Painter {
  /** Brings the screen up to date, as soon as the line allows it. */
  draw(): void;
  /** The same, whatever is on the screen now. */
  repaint(): void;
  /** Draws nothing until the work is done, and everything afterwards. */
  aside(work: () => Promise<void>): Promise<void>;
}

export interface PainterMeans {
  readonly screen: Pick<Screen, 'size' | 'write'>;
  readonly hasColours: boolean;
  readonly linesFor: (size: Size) => readonly Line[];
  /** The terminal is gone. */
  readonly onFault: (error: unknown) => void;
}

export function createPainter({ screen, hasColours, linesFor, onFault }: PainterMeans): Painter {
  let frame: Frame | undefined;
  let isWriting = false;
  let isAside = false;
  let isOutdated = false;

  function draw(): void {
    isOutdated = isWriting || isAside;
    if (isOutdated) return;
    const size = screen.size();
    const look = { width: size.columns, hasColours };
    const next = linesFor(size).map((line) => cellsOf(line, look));
    const change = changeOf(frame, next);
    frame = next;
    if (change === '') return;
    isWriting = true;
    screen.write(change).then(onTaken, onFault);
  }

  function onTaken(): void {
    isWriting = false;
    if (isOutdated) draw();
  }

  function repaint(): void {
    frame = undefined;
    draw();
  }

  return {
    draw,
    repaint,
    async aside(work) {
      isAside = true;
      await work();
      isAside = false;
      repaint();
    },
  };
}
