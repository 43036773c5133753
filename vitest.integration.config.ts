import { defineConfig } from 'vitest/config';

/** The package as it is installed elsewhere, and real servers: `npm run test:integration`. */
export default defineConfig({
  test: {
    include: ['test/integration/**/*.test.ts'],
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
