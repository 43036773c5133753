import { relative } from 'node:path';
import { expect, inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Files whose tests start processes or sandboxes, or run many cases: they, or what they use, import this one. */
    readonly slowFiles: readonly string[] | undefined;
  }
}

const MS = 300_000;

// A loaded machine is no failure. Workers keep modules from file to file, so this is a setup file too, which every file
// runs. `npm run test:long` has its own timeout.
const { testPath } = expect.getState();
if (testPath !== undefined && inject('slowFiles')?.includes(relative(process.cwd(), testPath)))
  vi.setConfig({ testTimeout: MS, hookTimeout: MS });
