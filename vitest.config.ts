import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/integration/**', 'test/long/**'],
    setupFiles: ['test/support/clean-environment.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // DuckDB brings its own threads; more workers than cores only fight over them.
    maxWorkers: 2,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
