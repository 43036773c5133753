import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/integration/**', 'test/long/**'],
    setupFiles: ['test/support/clean-environment.ts'],
    // Generous: a loaded machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // DuckDB brings its own threads; more workers than cores only fight over them.
    maxWorkers: 2,
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
