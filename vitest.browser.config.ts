import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';
import { waiting } from './test/support/turns.ts';

/** The console in Chromium: `npm run test:browser`. Nothing is installed; where Chromium is missing, it says so. */
export default defineConfig({
  test: {
    runner: 'test/support/until-time.ts',
    include: ['test/browser/**/*.test.ts'],
    exclude: waiting('browser'),
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A browser waits for its pages: two files at once keep two cores busy.
    maxWorkers: 2,
    sequence: { sequencer: longestFirst('issue-vitals', 'vitals', 'pages', 'demo-site', 'rendering') },
  },
});
