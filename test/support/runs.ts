import { inject } from 'vitest';
import { roundSeed } from './random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sampled: boolean | undefined;
  }
}

/** A sample is one in so many. */
const SHARE = 10;

/** How often a property runs: a tenth of it in `npm test`, as a sample; `npm run test:long` runs the file again, whole. */
export function runs(whole: number): number {
  return inject('sampled') ? Math.ceil(whole / SHARE) : whole;
}

/** The cases that are played: in `npm test` every tenth, and at least one, by the kept seed; in `npm run test:long` all. */
export function sampleOf<T>(cases: readonly T[]): T[] {
  const first = inject('sampled') ? roundSeed() % Math.min(SHARE, cases.length) : 0;
  return cases.filter((_, index) => !inject('sampled') || index % SHARE === first);
}
