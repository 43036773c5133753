import { defineConfig } from 'vitest/config';

/** Kills, simulations and large properties: `npm run test:long`, by seed (SEED). */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    setupFiles: ['test/support/clean-environment.ts'],
    testTimeout: 900_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
