// How VK refuses a call. Every refusal comes with HTTP 200; only the code tells them apart.

/** Base texts by code; a detail follows behind ": ". */
const baseTexts: Readonly<Record<number, string>> = {
  1: 'Unknown error occurred',
  2: 'Application is disabled. Enable your application or use test mode',
  3: 'Unknown method passed',
  4: 'Incorrect signature',
  5: 'User authorization failed',
  6: 'Too many requests per second',
  7: 'Permission to perform this action is denied',
  8: 'Invalid request',
  9: 'Flood control',
  10: 'Internal server error',
  12: 'Unable to compile code',
  13: 'Runtime error occurred during code invocation',
  14: 'Captcha needed',
  15: 'Access denied',
  17: 'Validation required',
  18: 'User was deleted or banned',
  19: 'Content blocked',
  20: 'Permission to perform this action is denied for non-standalone applications',
  22: 'Upload error',
  23: 'This method was disabled',
  24: 'Confirmation required',
  27: 'Group authorization failed',
  28: 'Application authorization failed',
  29: 'Rate limit reached',
  30: 'This profile is private',
  33: 'Not implemented yet',
  36: 'Method execution was interrupted due to timeout',
  37: 'User was banned',
  40: 'Unknown group',
  42: 'IP is not allowed',
  100: 'One of the parameters specified was missing or invalid',
  101: 'Invalid application API ID',
  103: 'Out of limits',
  104: 'Not found',
  113: 'Invalid user id',
  114: 'Invalid album id',
  118: 'Invalid server',
  121: 'Invalid hash',
  122: 'Invalid photos',
  125: 'Invalid group id',
  129: 'Invalid photo',
  150: 'Invalid timestamp',
  200: 'Access denied',
  203: 'Access to group denied',
  210: "Access to wall's post denied",
  211: "Access to wall's comment denied",
  212: 'Access to post comments denied',
  213: 'Access to status replies denied',
  214: 'Access to adding post denied',
  219: 'Advertisement post was recently added',
  220: 'Too many recipients',
  222: 'Hyperlinks are forbidden',
  223: 'Too many replies',
  224: 'Too many ads posts',
  225: 'Donut is disabled',
  300: 'This album is full',
  703: 'You need to enable 2FA for this action',
  900: "Can't send messages for users from blacklist",
  901: "Can't send messages for users without permission",
  902: "Can't send messages to this user due to their privacy settings",
  914: 'Message is too long',
  1051: 'Method is not available for this profile type',
  1116: 'Anonymous token is invalid',
  1117: 'Access token has expired',
  3102: "Specified link is incorrect (can't find source)",
  3300: 'Recaptcha needed',
  3301: 'Phone validation needed',
  3302: 'Password validation needed',
  3303: 'Otp app validation needed',
  3304: 'Email confirmation needed',
  3305: 'Assert votes',
  3609: 'Token extension required',
  3610: 'User is deactivated',
};

export interface RefusalFacts {
  readonly detail?: string | undefined;
  readonly subcode?: number | undefined;
  /** Fields that only this code has: captcha_sid, redirect_uri, confirmation_text. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown by a method; the simulator turns it into an answer. A string is the detail alone. */
export class Refusal extends Error {
  readonly code: number;
  readonly subcode: number | undefined;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: number, facts: RefusalFacts | string = {}) {
    const { detail, subcode, extra } = typeof facts === 'string' ? { detail: facts } : facts;
    const base = baseTexts[code] ?? 'Unknown error occurred';
    super(detail === undefined ? base : `${base}: ${detail}`);
    this.code = code;
    this.subcode = subcode;
    this.extra = extra ?? {};
  }
}

/** Whether VK knows the code. */
export function isErrorCode(code: number): boolean {
  return baseTexts[code] !== undefined;
}

/** Error 100 with its detail, the most common refusal. */
export function wrongParameter(detail: string): Refusal {
  return new Refusal(100, detail);
}

/** The error object: every parameter comes back as a string, the token never. */
export function errorObject(
  refusal: Refusal,
  method: string,
  parameters: readonly (readonly [string, string])[],
): Readonly<Record<string, unknown>> {
  const own = parameters.filter(([name]) => name !== 'access_token' && name !== 'method');
  const echoed: [string, string][] = [
    ['method', method],
    ['oauth', '1'],
  ];
  return {
    error_code: refusal.code,
    ...(refusal.subcode === undefined ? {} : { error_subcode: refusal.subcode }),
    error_msg: refusal.message,
    request_params: [...echoed, ...own].map(([key, value]) => ({ key, value })),
    ...refusal.extra,
  };
}
