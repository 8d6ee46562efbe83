// The entry `outrider/adapters`: the port that every platform fulfils, the pieces that adapters are made of, and the
// three adapters. docs/adapters.md tells how to write one.

// The port.

export type {
  AcknowledgedPart,
  Adapter,
  BeforeCall,
  Blob,
  Button,
  ChangeOutcome,
  CountedCall,
  CredentialCheck,
  Edit,
  Format,
  MediaType,
  Part,
  SendChannel,
  SendError,
  SendMedia,
  SendOptions,
  SendOutcome,
  SendRequest,
  SentPost,
} from './adapter.ts';

// The pieces: errors, answers, the walk over the parts of a post, calls at a pace, and HTTP.

export {
  type Answered,
  createTransport,
  type HttpBody,
  type HttpRequest,
  type NotSent,
  type Reply,
  type Transport,
  type TransportOptions,
  type Unknown,
} from '../http/transport.ts';
export {
  asRead,
  judgeStatus,
  noAnswer,
  parseJson,
  rawAnswer,
  readAnswer,
  recoded,
  retryAfter,
  sendError,
} from './answer.ts';
export { type ErrorCode, errorCodes } from './error-codes.ts';
export { sendPaced } from './paced.ts';
export { type PartOutcome, type PartToSend, sendParts } from './parts.ts';
export { callTimeoutMs, refusedSettings } from './settings.ts';

// The platforms.

export { createMaxAdapter, type MaxOptions } from './max/adapter.ts';
export type { AdapterOptions, Pace, Platform } from './platform.ts';
export { platforms } from './platforms.ts';
export { createTelegramAdapter, type TelegramOptions } from './telegram/adapter.ts';
export { createVkAdapter, type VkOptions } from './vk/adapter.ts';
