import { inject } from 'vitest';
import { roundSeed } from './random.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sampled: boolean | undefined;
  }
}

/** How often a property runs: a fifth of it in `npm test`, as a sample; `npm run test:long` runs the file again, whole. */
export function runs(whole: number): number {
  return inject('sampled') ? Math.ceil(whole / 5) : whole;
}

/** The cases that are played: in `npm test` every fifth, and at least one, by the kept seed; in `npm run test:long` all. */
export function sampleOf<T>(cases: readonly T[]): T[] {
  const first = inject('sampled') ? roundSeed() % Math.min(5, cases.length) : 0;
  return cases.filter((_, index) => !inject('sampled') || index % 5 === first);
}
