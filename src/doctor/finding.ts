// What the doctor finds: what is wrong, where, and what to do about it.

/** As alerts have them. An `info` is a hint: it endangers nothing now. */
export type Severity = 'critical' | 'warning' | 'info';

export interface Finding {
  readonly severity: Severity;
  /** What it is about, such as "channel news"; null: the check says it. */
  readonly subject: string | null;
  /** One sentence, without its full stop. */
  readonly says: string;
  /** A command or a sentence. */
  readonly fix: string;
}

export function critical(subject: string | null, says: string, fix: string): Finding {
  return { severity: 'critical', subject, says, fix };
}

export function warning(subject: string | null, says: string, fix: string): Finding {
  return { severity: 'warning', subject, says, fix };
}

export function info(subject: string | null, says: string, fix: string): Finding {
  return { severity: 'info', subject, says, fix };
}

/** A check as everybody sees it. */
interface Described {
  /** A slug, such as database_durability. */
  readonly name: string;
  readonly area: Area;
  /** The question that it answers, as a sentence without its question mark. */
  readonly asks: string;
}

type Area =
  | 'database'
  | 'machine'
  | 'services'
  | 'credentials'
  | 'channels'
  | 'sources'
  | 'alerts'
  | 'bot';

type Answer = readonly Finding[] | Promise<readonly Finding[]>;

/** Looks at what its `needs` names; a check whose need is not met is not made. */
export type Check<Needs extends object> = {
  [Need in keyof Needs & string]: Described & {
    readonly needs: Need;
    look(given: Needs[Need]): Answer;
  };
}[keyof Needs & string];
