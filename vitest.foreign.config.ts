import { defineConfig } from 'vitest/config';

/**
 * Test suites of other projects, fetched when they run: `npm run test:foreign`. Where they can't be fetched, they are skipped with
 * the reason.
 */
export default defineConfig({
  test: {
    include: ['test/foreign/**/*.test.ts'],
    setupFiles: ['test/support/clean-environment.ts'],
    testTimeout: 600_000,
  },
});
