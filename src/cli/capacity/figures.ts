// What one PostgreSQL and one process carry, as measured. After a new measurement, change this file together with the
// table of docs/scaling.md (a test compares them).

/** A measured figure, and where it was measured. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

export const figures = {
  /** CPU of PostgreSQL for a post, apart from its deliveries. */
  postCpuMicros: { value: 1100, unit: 'µs/post', source: 'bench/README.md, fan-out' },
  /** CPU of PostgreSQL for a delivery while its post is taken in. */
  intakeCpuMicros: { value: 48, unit: 'µs/delivery', source: 'bench/README.md, fan-out' },
  /** CPU of PostgreSQL for a delivery from its claim to its commit, when it has to wait for the pace. */
  sendingCpuMicros: {
    value: 99,
    unit: 'µs/delivery',
    source: '2026-11-18-sending, outrider-paced',
  },
  /** Cores of the machine that was measured. PostgreSQL shared them with the sender and the provider. */
  cores: { value: 2, unit: 'cores', source: '2026-11-18-sending' },
  /** Deliveries that one sending process gets through. */
  sendsPerProcess: {
    value: 7608,
    unit: 'deliveries/s',
    source: '2026-11-18-sending, outrider-paced',
  },
  /** Deliveries that one connection makes of posts to 40 channels, one post after the other. */
  intakeRows: { value: 13_000, unit: 'deliveries/s', source: '2026-11-18-fanout' },
  /** Tables and indexes, events included, for a delivery that was sent; a post of 500 characters. */
  deliveryBytes: { value: 2280, unit: 'B/delivery', source: 'npm run storage' },
  /** Tables and indexes for a post, apart from its deliveries. */
  postBytes: { value: 1700, unit: 'B/post', source: 'npm run storage' },
  /** Log of PostgreSQL (WAL) for a delivery, from the intake of its post to its commit. */
  deliveryLogBytes: { value: 3100, unit: 'B/delivery', source: 'npm run storage' },
} as const satisfies Record<string, Figure>;

export type Figures = Readonly<Record<keyof typeof figures, { readonly value: number }>>;
