import { defineConfig } from 'vitest/config';

/** The warehouse on Trino, beside DuckDB: `npm run test:engines` starts Trino once, with PostgreSQL and an S3 server. */
export default defineConfig({
  test: {
    include: ['test/engines/**/*.test.ts'],
    globalSetup: ['test/support/provide-engines.ts'],
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
