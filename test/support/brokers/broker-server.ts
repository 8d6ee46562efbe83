// What a test can do with the server of a broker.

export interface BrokerServer {
  readonly port: number;
  /** The address for `openBroker`; through another port where there is a wire in between. */
  address(port?: number): string;
  /** Everything that a consumer finds, oldest first. */
  received(): Promise<Received[]>;
  /** Off, and on again at the same port with the same data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Off for good; leaves nothing behind. */
  close(): Promise<void>;
}

export interface Received {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** What the broker orders or routes by, where it has such a thing. */
  readonly key?: string | undefined;
}
