// A sleep that ends early when somebody rings. A ring during work is not lost: the next sleep ends at once.

export interface Alarm {
  ring(): void;
  /** Resolves with the next ring, or after the time; true when it was a ring. */
  sleep(ms: number): Promise<boolean>;
}

export function createAlarm(): Alarm {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async sleep(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      const was = rung;
      rung = false;
      return was;
    },
  };
}
