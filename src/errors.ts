// Every error that Outrider raises on purpose. Expected outcomes are values, not errors. An error is a caller's
// mistake, a missing right, or something that Outrider depends on and that failed.

export type ErrorCode =
  | 'invalid_input'
  | 'not_found'
  | 'not_allowed'
  | 'transition_refused'
  | 'still_in_flight'
  | 'database_away'
  | 'database_busy'
  | 'database_fault'
  | 'database_unsuitable'
  | 'migration_refused'
  | 'migration_failed'
  | 'embedded_server'
  | 'store_away'
  | 'broker_away'
  | 'source_away'
  | 'lease_lost'
  | 'not_confirmed'
  | 'configuration';

export interface ErrorFacts {
  readonly hint?: string | undefined;
  readonly sqlstate?: string | undefined;
  readonly constraint?: string | undefined;
  /** The SQL function and line that raised it. */
  readonly place?: string | undefined;
}

export class OutriderError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly sqlstate: string | undefined;
  readonly constraint: string | undefined;
  readonly place: string | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.hint = facts.hint;
    this.sqlstate = facts.sqlstate;
    this.constraint = facts.constraint;
    this.place = facts.place;
  }
}

/** The caller gave something that the schema or a function does not accept. */
export class InvalidInputError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('invalid_input', message, facts);
  }
}

/** What the caller named is not there (or not visible to the caller). */
export class NotFoundError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('not_found', message, facts);
  }
}

/** The login lacks the right, or is not bound to the workspace. */
export class NotAllowedError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('not_allowed', message, facts);
  }
}

/** The state machine has no such transition. */
export class TransitionRefusedError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('transition_refused', message, facts);
  }
}

/** The same message is on its way to the same channel already. */
export class StillInFlightError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('still_in_flight', message, facts);
  }
}

/** No answer came: nobody knows whether the work was done. */
export class DatabaseAwayError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('database_away', message, facts);
  }
}

/** The database gave up on the transaction (deadlock, timeout, no room); nothing was done, repeating is safe. */
export class DatabaseBusyError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('database_busy', message, facts);
  }
}

/** The database failed in a way that no caller can mend: a bug in a function. */
export class DatabaseFaultError extends OutriderError {
  constructor(message: string, facts?: ErrorFacts) {
    super('database_fault', message, facts);
  }
}

type ErrorClass = new (message: string, facts?: ErrorFacts) => OutriderError;

const classOfState: Readonly<Record<string, ErrorClass>> = {
  OR001: InvalidInputError,
  OR002: NotFoundError,
  OR003: NotAllowedError,
  OR004: TransitionRefusedError,
  OR005: StillInFlightError,
  '22P02': InvalidInputError, // not the text of that type
  '22P05': InvalidInputError, // a character that the encoding lacks
  '22003': InvalidInputError, // number out of range
  '22007': InvalidInputError, // not a date
  '22008': InvalidInputError, // date out of range
  '22021': InvalidInputError, // invalid bytes, such as NUL
  '22023': InvalidInputError, // invalid parameter value
  '54000': InvalidInputError, // larger than a value or an index entry can be
  '54001': InvalidInputError, // nested too deeply to be read
  '23502': InvalidInputError, // null where a value is needed
  '23514': InvalidInputError, // check constraint
  '42501': NotAllowedError,
  '40001': DatabaseBusyError, // serialization failure
  '40P01': DatabaseBusyError, // deadlock
  '55P03': DatabaseBusyError, // lock_timeout
  '57014': DatabaseBusyError, // statement_timeout
  '25006': DatabaseAwayError, // read-only: a standby, or a server that is being moved
  '25P03': DatabaseAwayError, // idle-in-transaction timeout: the session is gone
  '53100': DatabaseBusyError, // disk full
  '53200': DatabaseBusyError, // out of memory
  '53300': DatabaseAwayError, // too many connections
  '57P01': DatabaseAwayError, // administrator's shutdown
  '57P02': DatabaseAwayError, // crash of a neighbour
  '57P03': DatabaseAwayError, // starting up or shutting down
  '57P05': DatabaseAwayError, // idle session timeout
};

/** The next step, where the state alone tells it. */
const hintOfState: Readonly<Record<string, string>> = {
  '57014':
    'the database took too long; outrider doctor says what slows it down, or who holds its rows',
  '25006': 'this server can only be read, as a replica can; name the primary in DATABASE_URL',
};

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // unix socket
]);

// The driver raises these without a code.
const driverLosses = [
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
];

/** Maps whatever a query raised to one of our classes. Anything that is already ours passes. */
export function fromPostgres(error: unknown): OutriderError {
  if (error instanceof OutriderError) return error;
  const state = textField(error, 'code');
  const message = error instanceof Error ? error.message : String(error);
  if (state !== undefined && textField(error, 'severity') !== undefined) {
    return fromSqlState(state, message, error);
  }
  if (state !== undefined && socketCodes.has(state)) {
    return new DatabaseAwayError(`the database cannot be reached (${state})`);
  }
  if (driverLosses.some((start) => message.startsWith(start))) {
    return new DatabaseAwayError(`the connection to the database was lost: ${message}`);
  }
  return new DatabaseFaultError(message);
}

function fromSqlState(state: string, message: string, error: unknown): OutriderError {
  const ours = state.startsWith('OR');
  const place = placeOf(textField(error, 'where'));
  const facts: ErrorFacts = {
    sqlstate: state,
    // Hints of PostgreSQL's own may quote data; ours are written for the caller.
    hint: ours ? textField(error, 'hint') : hintOfState[state],
    constraint: textField(error, 'constraint'),
    place,
  };
  const Class = classOf(state, facts);
  const text = ours ? message : withoutValues(state, message);
  if (Class !== undefined) return new Class(text, facts);
  return new DatabaseFaultError(`${text} (SQLSTATE ${state})`, facts);
}

function classOf(state: string, { constraint }: ErrorFacts): ErrorClass | undefined {
  // A row was on its way to the default partition while a partition of its own was made.
  if (state === '23514' && constraint === undefined) return DatabaseBusyError;
  return classOfState[state] ?? (state.startsWith('08') ? DatabaseAwayError : undefined);
}

// PostgreSQL quotes the offending value in class 22. It may be a secret put in the wrong place.
function withoutValues(state: string, message: string): string {
  if (!state.startsWith('22')) return message;
  return message.replace(/: ".*"$/s, '').replace(/value ".*" is/s, 'value is');
}

// Only the function's name and line: the rest of the context may quote statements and values.
function placeOf(where: string | undefined): string | undefined {
  return where
    ?.split('\n')
    .map((line) => /^PL\/pgSQL function (\S+?)\(.*\) line (\d+)/.exec(line))
    .flatMap((found) => (found === null ? [] : [`${found[1]} line ${found[2]}`]))[0];
}

function textField(error: unknown, field: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : undefined;
}
