import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';
import { waiting } from './test/support/turns.ts';

/**
 * The warehouse on Trino, beside DuckDB: `npm run test:engines` starts Trino once, with PostgreSQL and an S3 server. Two
 * files run at once.
 */
export default defineConfig({
  test: {
    runner: 'test/support/until-time.ts',
    include: ['test/trino/**/*.test.ts'],
    exclude: waiting('trino'),
    globalSetup: ['test/support/provide-engines.ts'],
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // As in the long suite, which runs beside it.
    provide: { threads: 1 },
    // Each file has schemas of its own.
    maxWorkers: 2,
    sequence: {
      sequencer: longestFirst('worker-kills', 'publications', 'move', 'query', 'golden', 'trino-rows'),
    },
  },
});
