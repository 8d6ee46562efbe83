// Learns the weights of features: of all at first, then again of those that say most, so that the table stays small.

import { judgedKinds, scaleOf } from '../../src/lost-pets/type-mix.ts';
import type { Post } from './posts.ts';
import { type Example, regress, type Weights } from './regression.ts';

const types = judgedKinds.length;
const l2 = 1;
/** A feature of fewer posts says nothing yet. */
const fewestPosts = 3;
const mostFeatures = 1_500;
/** Weights are kept in hundredths. */
const unit = 100;

/** Whole hundredths, in the order of `judgedKinds`. */
export interface Learned {
  readonly features: ReadonlyMap<string, readonly number[]>;
  readonly bias: readonly number[];
}

export function learn(posts: readonly Post[]): Learned {
  const common = commonIn(posts);
  const telling = mostTelling(common, regressOn(posts, common));
  const { ofFeatures, ofTypes } = regressOn(posts, telling);
  const features = new Map<string, readonly number[]>();
  for (const [n, name] of telling.entries()) {
    const weights = hundredths(ofFeatures.subarray(n * types, (n + 1) * types));
    if (weights.some((weight) => weight !== 0)) features.set(name, weights);
  }
  return { features, bias: hundredths(ofTypes) };
}

/** What the features of a post say for each type. */
export function sumsOf({ features, bias }: Learned, post: Post): Float64Array {
  const known = [...post.features].flatMap((name) => [features.get(name) ?? []]);
  const found = known.filter((weights) => weights.length > 0);
  const scale = scaleOf(found.length);
  return Float64Array.from(bias, (start, n) =>
    found.reduce((sum, weights) => sum + (scale * (weights[n] ?? 0)) / unit, start / unit),
  );
}

function commonIn(posts: readonly Post[]): string[] {
  const counts = new Map<string, number>();
  for (const { features } of posts)
    for (const name of features) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= fewestPosts).map(([name]) => name);
}

function mostTelling(names: readonly string[], { ofFeatures }: Weights): string[] {
  const strengths = names.map((name, n) => {
    const weights = ofFeatures.subarray(n * types, (n + 1) * types);
    return { name, strength: weights.reduce((sum, weight) => sum + weight * weight, 0) };
  });
  return strengths
    .toSorted((a, b) => b.strength - a.strength)
    .slice(0, mostFeatures)
    .map(({ name }) => name);
}

function regressOn(posts: readonly Post[], names: readonly string[]): Weights {
  const numbers = new Map(names.map((name, n) => [name, n]));
  const examples = posts.map((post): Example => {
    const features = [...post.features].flatMap((name) => numbers.get(name) ?? []);
    return { features, scale: scaleOf(features.length), type: judgedKinds.indexOf(post.type) };
  });
  return regress(examples, names.length, types, l2);
}

function hundredths(weights: Float64Array): number[] {
  return Array.from(weights, (weight) => Math.round(weight * unit) + 0);
}
