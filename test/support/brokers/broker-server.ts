// What a test can do with the server behind a broker.

export interface BrokerServer {
  readonly port: number;
  /** The address for `openBroker`, with another port if a proxy is in between. */
  address(port?: number): string;
  /** Everything that a consumer would read, oldest first. */
  received(): Promise<Received[]>;
  /** Stops the server; `start` brings it back at the same port with the same data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its data. */
  close(): Promise<void>;
}

export interface Received {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The key that the broker orders or routes by, if it has one. */
  readonly key?: string | undefined;
}
