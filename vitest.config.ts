import { defineConfig } from 'vitest/config';
import { testFiles } from './test/support/kinds.ts';

const { unit, e2e, replacing, slow } = testFiles();
// Most of a small file's time was its worker's start and its imports: files share workers and what they have imported.
const shared = { isolate: false, testTimeout: 30_000, hookTimeout: 30_000 };

const setup = ['test/support/clean-environment.ts', 'test/support/seed.ts'];

/**
 * `npm test`: `unit` starts no process, no server and no database; `e2e` does; `replacing` has a worker of its own for
 * each file, which replaces a module. `npm run test:unit` runs the first alone.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: { ...shared, name: 'unit', include: [...unit], setupFiles: setup, provide: { sampled: true } },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: [...e2e],
          setupFiles: [...setup, 'test/support/process-timeout.ts'],
          provide: { slowFiles: slow, threads: 1, sampled: true },
        },
      },
      {
        test: {
          ...shared,
          isolate: true,
          name: 'replacing',
          include: [...replacing],
          setupFiles: setup,
          provide: { threads: 1, sampled: true },
        },
      },
    ],
    // Two cores are kept busy by three: many tests wait for streams, polls and processes.
    maxWorkers: 3,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
