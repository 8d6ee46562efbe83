// The interface of a simulator: it takes a request and returns a reply. Sockets, faults and time belong to the server
// around it.

import type { Clock } from './clock.ts';

/** One request, read whole. Files are counted and hashed while they stream in, never kept. */
export interface SandboxRequest {
  readonly method: string;
  /** Decoded path, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when the body was JSON. */
  readonly json?: unknown;
  /** Fields of a form or of multipart. */
  readonly form: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
  /** Bytes of a body that is none of these, or of JSON that does not parse; at most 1 MiB. */
  readonly raw: Uint8Array;
}

export interface UploadedFile {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  /** The first bytes (1 KiB), to tell an image from a text. */
  readonly head: Uint8Array;
}

export interface SandboxReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent in place of the body when the answer is a file. */
  readonly bytes?: Uint8Array;
}

/** What the provider's own HTTP reader takes in. Requests beyond that never reach the simulator. */
export interface ReaderLimits {
  /** All fields of a form together, or a JSON body. */
  readonly parameterBytes: number;
  readonly files: number;
  /** The whole body, files included. */
  readonly bodyBytes: number;
}

/** Why a request could not be read. */
export interface ReaderFault {
  readonly status: 400 | 413;
  readonly what: 'malformed' | 'parameters' | 'files' | 'body';
}

/** A fault that a test or a user has scripted. */
export interface Fault {
  readonly kind: FaultKind;
  /** Only calls of this platform. */
  readonly platform?: string | undefined;
  /** Only calls of this method, by the name that the simulator describes it with. */
  readonly method?: string | undefined;
  /** Only calls that address this chat, wall or user. */
  readonly chat?: string | undefined;
  /** How often it strikes; for ever when missing. */
  readonly times?: number | undefined;
  /** How many matching calls pass before it strikes. */
  readonly after?: number | undefined;
  /** For rate_limited, in seconds. */
  readonly retryAfter?: number | undefined;
  /** For server_error and empty_body. */
  readonly status?: number | undefined;
  /**
   * For faults of the wire: whether the call has its effect before the fault shows. When missing: yes for slow_drip
   * and truncated_json, which carry the answer, no for the others.
   */
  readonly stored?: boolean | undefined;
}

/** The server plays faults of the wire. For the others the simulator has the provider's words. */
export type FaultKind =
  // of the wire
  | 'drop' // the connection ends without an answer
  | 'half_open' // the connection stays open and nothing comes
  | 'slow_drip' // the answer comes a byte at a time
  | 'html' // a page of the edge instead of JSON, 502
  | 'empty_body'
  | 'truncated_json'
  | 'server_error' // the provider's own 5xx
  // of the provider
  | 'rate_limited'
  | 'kicked'
  | 'revoked'
  // of one platform alone (`faults` of a SimulatedPlatform)
  | 'migrated'
  | 'attachment_not_ready'
  | 'success_false'
  | 'captcha';

/** What a person would see in one chat, oldest first. */
export interface ChatView {
  readonly chat: string;
  readonly title: string;
  readonly kind?: 'channel' | 'group' | 'dialog' | 'wall';
  readonly posts: readonly PostView[];
}

export interface PostView {
  readonly id: string;
  /** Who wrote it. */
  readonly from?: string;
  /** Of a dialog: the person wrote it, not the bot. */
  readonly byPerson?: boolean;
  /** The id of the post that it answers. */
  readonly replyTo?: string;
  readonly pinned?: boolean;
  /** As read: without markup. */
  readonly text: string;
  /** The same as safe HTML, for the page. */
  readonly html: string;
  readonly media: readonly MediaView[];
  readonly buttons: readonly (readonly ButtonView[])[];
  /** The same for all posts of one album. */
  readonly album?: string;
  readonly sentAt: string;
  readonly editedAt?: string;
}

/** It opens an address, or tells the bot its payload; others only have words. */
export interface ButtonView {
  readonly text: string;
  readonly url?: string;
  readonly payload?: string;
}

export interface MediaView {
  readonly type: string;
  readonly sha256?: string;
  readonly size?: number;
  readonly filename?: string;
  readonly url?: string;
}

export interface Simulator {
  readonly platform: string;
  /** What it simulates: names of methods, or "VERB /path" where methods have none. */
  readonly methods: readonly string[];
  /** Where it differs from 1 MiB of parameters, 50 files and 4 GiB in all. */
  readonly limits?: Partial<ReaderLimits>;
  /** The provider's answer to what its reader refuses; an empty body when missing. */
  unreadable?(fault: ReaderFault, request: { readonly path: string }): SandboxReply;
  handle(request: SandboxRequest): Promise<SandboxReply> | SandboxReply;
  /** The provider's own words for a scripted fault; undefined when the platform has no such fault. */
  refuse(fault: Fault, request: SandboxRequest): SandboxReply | undefined;
  /** The method name that a fault is matched by, and the chat that the call addresses. */
  describe(request: SandboxRequest): { readonly method: string; readonly chat?: string };
  /** What every chat shows now; deleted posts are gone. */
  chats(): ChatView[];
  /** Takes what the control API sends under /control/<platform>/<name>: bots, chats, limits, incoming messages. */
  control(name: string, body: unknown): unknown;
  /** What a person can do in its chats; missing where bots hear of nobody. */
  readonly person?: ActingPerson;
}

/** Who writes and presses buttons on the stage: in a dialog its person, elsewhere anybody. Throws what is wrong. */
export interface ActingPerson {
  say(chat: string, text: string): void;
  press(chat: string, post: string, payload: string): void;
}

/** What a simulator is made with. */
export interface SimulatorContext {
  readonly clock: Clock;
  /** Where this simulator is reached, for the addresses that it hands out (uploads, files). */
  readonly baseUrl: string;
  /** Whether a call makes the chat that it addresses, if there is none. */
  readonly makesChats: boolean;
  /** Tells the person at the terminal, in one line, what the answer to a client cannot make clear. */
  readonly report: (line: string) => void;
  /**
   * Calls a webhook of the user. Returns the status, or undefined when nobody answered. `hear` gets the rest of the
   * answer before that.
   */
  callWebhook(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    hear?: (answer: WebhookAnswer) => void,
  ): Promise<number | undefined>;
}

export interface WebhookAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** At most 1 MiB of it. */
  readonly body: string;
}

/** Makes the simulator of a platform. */
export type CreateSimulator = (context: SimulatorContext) => Simulator;

/** What the sandbox must know about a platform. Its `index.ts` says it, and platforms.ts lists the platforms. */
export interface SimulatedPlatform {
  /** As in outrider.platforms. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly create: CreateSimulator;
  readonly methods: readonly string[];
  /** Faults that only this platform has. */
  readonly faults: readonly FaultKind[];
  readonly demo: DemoChats;
}

/** The platform's part of the demo workspace (db/seed.sql). */
interface DemoChats {
  /** Not a secret: it works in the sandbox only. */
  readonly token: string;
  /** The environment variable that the demo workspace's credential refers to. */
  readonly tokenVariable: string;
  readonly chats: readonly { readonly id: string; readonly title: string }[];
  /** Where the demo has a bot that people write to: the secret of its endpoint. It opens nothing else. */
  readonly botSecret?: string;
  /** Makes the chats and the token. */
  furnish(simulator: Simulator): void;
}
