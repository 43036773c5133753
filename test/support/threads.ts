import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly threads: number | undefined;
  }
}

/** Threads of DuckDB. With small data a second one costs more than it brings, so `npm test` and `npm run test:long` have one. */
export function threads(): number {
  return inject('threads') ?? 2;
}
