import { defineConfig } from 'vitest/config';

/** The console in Chromium: `npm run test:browser`. Nothing is installed; where Chromium is missing, it says so. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
