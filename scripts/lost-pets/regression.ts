// Multinomial logistic regression with L2, trained on all posts at once, the same way each time.

export interface Example {
  /** The features that the post has, by their numbers. */
  readonly features: readonly number[];
  /** What each of them counts. */
  readonly scale: number;
  /** The number of the right type. */
  readonly type: number;
}

export interface Weights {
  /** One weight for each feature and type, the types of a feature side by side. */
  readonly ofFeatures: Float64Array;
  readonly ofTypes: Float64Array;
}

const steps = 100;

/** Adam: each weight moves at a pace of its own. `l2` pulls the weights of features towards nought. */
export function regress(
  examples: readonly Example[],
  features: number,
  types: number,
  l2: number,
): Weights {
  const size = features * types;
  const weights = new Float64Array(size + types);
  const slope = new Float64Array(size + types);
  const mean = new Float64Array(size + types);
  const square = new Float64Array(size + types);
  for (let step = 1; step <= steps; step += 1) {
    slope.fill(0);
    for (const example of examples) addSlope(example, weights, slope, size, types);
    const pace = 0.1 * (step < steps * 0.6 ? 1 : step < steps * 0.85 ? 0.3 : 0.05);
    for (let n = 0; n < weights.length; n += 1) {
      const weight = weights[n] ?? 0;
      const down = (slope[n] ?? 0) + (n < size ? l2 * weight : 0);
      const even = 0.9 * (mean[n] ?? 0) + 0.1 * down;
      const spread = 0.99 * (square[n] ?? 0) + 0.01 * down * down;
      mean[n] = even;
      square[n] = spread;
      const length = Math.sqrt(spread / (1 - 0.99 ** step)) + 1e-6;
      weights[n] = weight - (pace * even) / (1 - 0.9 ** step) / length;
    }
  }
  return { ofFeatures: weights.slice(0, size), ofTypes: weights.slice(size) };
}

function addSlope(
  { features, scale, type }: Example,
  weights: Float64Array,
  slope: Float64Array,
  size: number,
  types: number,
): void {
  const sums = weights.slice(size);
  for (const feature of features)
    for (let n = 0; n < types; n += 1)
      sums[n] = (sums[n] ?? 0) + scale * (weights[feature * types + n] ?? 0);
  const errors = sharesOf(sums);
  errors[type] = (errors[type] ?? 0) - 1;
  for (let n = 0; n < types; n += 1) slope[size + n] = (slope[size + n] ?? 0) + (errors[n] ?? 0);
  for (const feature of features)
    for (let n = 0; n < types; n += 1) {
      const at = feature * types + n;
      slope[at] = (slope[at] ?? 0) + scale * (errors[n] ?? 0);
    }
}

/** How likely each type is, by its sum. */
export function sharesOf(sums: Float64Array): Float64Array {
  const most = Math.max(...sums);
  const shares = sums.map((sum) => Math.exp(sum - most));
  const all = shares.reduce((a, b) => a + b, 0);
  return shares.map((share) => share / all);
}
