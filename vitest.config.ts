import { defineConfig } from 'vitest/config';
import { testFiles } from './test/support/kinds.ts';

const { unit, e2e } = testFiles();
const setupFiles = ['test/support/clean-environment.ts'];

/** `npm test`: `unit` starts no process, no server and no database; `e2e` does. `npm run test:unit` runs the first alone. */
export default defineConfig({
  test: {
    projects: [
      { test: { setupFiles, name: 'unit', include: [...unit], testTimeout: 30_000, hookTimeout: 30_000 } },
      {
        test: {
          setupFiles,
          name: 'e2e',
          include: [...e2e],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // Where a test says so, by importing test/support/process-timeout.ts.
          provide: { processTimeout: 300_000 },
        },
      },
    ],
    // Two cores are kept busy by three: many tests wait for streams, polls and processes.
    maxWorkers: 3,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
