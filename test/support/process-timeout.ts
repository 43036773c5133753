import { inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Milliseconds for tests that start processes or sandboxes, or run many cases. */
    readonly processTimeout: number | undefined;
  }
}

// A file that imports this has the longer timeout: a loaded machine is no failure. `test/long` has its own.
const ms = inject('processTimeout');
if (ms !== undefined) vi.setConfig({ testTimeout: ms, hookTimeout: ms });
