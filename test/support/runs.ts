import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly sampled: boolean | undefined;
  }
}

/** How often a property runs: a fifth of it in `npm test`, as a sample; `test/long` runs the file again, whole. */
export function runs(whole: number): number {
  return inject('sampled') ? Math.ceil(whole / 5) : whole;
}
