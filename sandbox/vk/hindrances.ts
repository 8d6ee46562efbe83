// What an order has put in the way of calls: captchas to solve, and failures by their code.

import { createHash } from 'node:crypto';
import type { Token } from './accounts.ts';
import { Refusal, type RefusalFacts } from './errors.ts';
import type { Parameters } from './parameters.ts';

export interface ArmedCaptcha {
  readonly token?: string | undefined;
  readonly method?: string | undefined;
  /** The newer kind: a person solves it on a page, which hands out a success_token. */
  readonly redirect: boolean;
}

export interface ArmedFailure extends RefusalFacts {
  readonly code: number;
  readonly method?: string | undefined;
  times: number;
}

export interface IssuedCaptcha {
  readonly sid: string;
  /** What a person would read in the picture, or bring back from the page. */
  readonly key: string;
}

export interface Hindrances {
  /** The next matching call needs a captcha, and so do its repeats until the key is right. */
  armCaptcha(captcha: ArmedCaptcha): void;
  armFailure(failure: ArmedFailure): void;
  /** Not solved yet. */
  issued(): IssuedCaptcha[];
  /** A new captcha in the words of VK. */
  challenge(baseUrl: string, redirect?: boolean): Refusal;
  /** Whether the call brings the key of an issued captcha; it counts once. */
  solve(parameters: Parameters): boolean;
  /** Refuses the call if something stands in its way. */
  check(token: Token, method: string, parameters: Parameters, baseUrl: string): void;
}

export function createHindrances(): Hindrances {
  const issued = new Map<string, string>();
  let captchas: ArmedCaptcha[] = [];
  let failures: ArmedFailure[] = [];
  let last = 239_633_676_097;

  function challenge(baseUrl: string, redirect = false): Refusal {
    last += 1;
    const sid = String(last);
    issued.set(sid, createHash('sha256').update(sid).digest('hex').slice(0, 5));
    const page = `${baseUrl}/captcha.html?session=${sid}`;
    return new Refusal(14, {
      extra: {
        captcha_sid: sid,
        captcha_img: `${baseUrl}/captcha.php?sid=${sid}&s=1`,
        ...(redirect ? { redirect_uri: page, captcha_attempt: 1 } : {}),
      },
    });
  }

  function solve(parameters: Parameters): boolean {
    const sid = parameters.text('captcha_sid') ?? '';
    const bySid = issued.has(sid) && issued.get(sid) === parameters.text('captcha_key');
    const token = parameters.text('success_token');
    const byToken = [...issued].find(([, key]) => key === token)?.[0];
    const solved = bySid ? sid : byToken;
    return solved !== undefined && issued.delete(solved);
  }

  return {
    armCaptcha: (captcha) => void captchas.push(captcha),
    armFailure: (failure) => void failures.push(failure),
    issued: () => [...issued].map(([sid, key]) => ({ sid, key })),
    challenge,
    solve,
    check(token, method, parameters, baseUrl) {
      if (token.needsValidation) {
        const redirect = `${baseUrl}/security_check?token=${token.token.slice(-4)}`;
        throw new Refusal(17, { extra: { redirect_uri: redirect } });
      }
      const failure = failures.find((each) => (each.method ?? method) === method);
      if (failure !== undefined) {
        failure.times -= 1;
        failures = failures.filter((each) => each.times > 0);
        throw new Refusal(failure.code, failure);
      }
      const captcha = captchas.find(
        (each) => (each.method ?? method) === method && (each.token ?? token.token) === token.token,
      );
      if (captcha === undefined) return;
      if (!solve(parameters)) throw challenge(baseUrl, captcha.redirect);
      captchas = captchas.filter((each) => each !== captcha);
    },
  };
}
