import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/integration/**', 'test/long/**'],
    setupFiles: ['test/support/clean-environment.ts'],
    // Generous: a loaded machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores are kept busy by three: many tests wait for streams, polls and processes.
    maxWorkers: 3,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
