// Alerts by e-mail, through the SMTP server that the environment names.

import { connect, type Socket } from 'node:net';
import { type AlertMessage, leftToOthers, type Tell, type Told, untold } from './target.ts';

export interface EmailTargetOptions {
  /** smtp:// or smtps://, with the login in it; undefined: no e-mail can be sent. Never printed. */
  readonly smtpUrl: string | undefined;
  /** The sender's address. */
  readonly from: string | undefined;
  readonly timeoutMs?: number | undefined;
}

export function createEmailTarget({ smtpUrl, from, timeoutMs = 10_000 }: EmailTargetOptions): Tell {
  return async (message, signal) => {
    if (smtpUrl === undefined || from === undefined) {
      return leftToOthers(
        'no mail server is configured: set OUTRIDER_SMTP_URL and OUTRIDER_SMTP_FROM',
      );
    }
    const { recipients } = message.address;
    if (recipients === null) return untold('the target has no recipients');
    const settings = settingsOf(new URL(smtpUrl), timeoutMs);
    // Not before there is something to send: it takes a while to load.
    const { createTransport } = await import('nodemailer');
    let socket: Socket | undefined;
    const transport = createTransport({
      ...settings,
      getSocket(_options, done) {
        socket = openSocket(settings, { timeoutMs, signal }, done);
      },
    });
    try {
      const { response } = await transport.sendMail(mailOf(message, from, recipients));
      return { ok: true, said: response };
    } catch (error) {
      return signal.aborted ? untold('the mail server did not answer in time') : faultOf(error);
    } finally {
      socket?.destroy();
    }
  };
}

type Opened = (error: Error | null, opened?: { readonly connection: Socket }) => void;

/**
 * A connection that the signal breaks off. One that nodemailer opens itself cannot be broken off, and a server that never
 * comes to the end of its answer is never idle.
 */
function openSocket(
  { host, port }: { readonly host: string; readonly port: number },
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  done: Opened,
): Socket {
  const socket = connect({ host, port, signal });
  const lateness = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => socket.destroy(lateness), timeoutMs);
  const failed = (error: Error): void => done(error);
  socket.once('error', failed);
  socket.once('connect', () => {
    clearTimeout(timer);
    socket.off('error', failed);
    // nodemailer takes its own listeners away before the last error has come, and an error without a listener ends the process.
    socket.on('error', () => undefined);
    done(null, { connection: socket });
  });
  socket.once('close', () => clearTimeout(timer));
  return socket;
}

function settingsOf(url: URL, timeoutMs: number) {
  const isSecure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    // A password does not leave this machine in the clear.
    requireTLS: !isSecure && user !== '' && !isHere,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  };
}

function mailOf(message: AlertMessage, from: string, recipients: readonly string[]) {
  return {
    from,
    to: [...recipients],
    subject: `Outrider, ${message.subject}`,
    text: message.body,
    // A repeated attempt is the same mail.
    messageId: `<${message.id}@outrider>`,
  };
}

const said = { EAUTH: 'the mail server refused the login' } as const;

/** The server's answer, where there is one; never a text that may quote the address. */
function faultOf(error: unknown): Told {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'EAUTH') return untold(said.EAUTH);
  const response: unknown = error instanceof Error ? Reflect.get(error, 'response') : undefined;
  if (typeof response === 'string' && response !== '') {
    return untold(`the mail server answered: ${response.slice(0, 300)}`);
  }
  return untold(
    `the mail server cannot be reached (${typeof code === 'string' ? code : 'unknown'})`,
  );
}
