import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest-first.ts';
import { waiting } from './test/support/turns.ts';

/** The package as it is installed elsewhere, and real servers: `npm run test:integration`. Three files run at once. */
export default defineConfig({
  test: {
    runner: 'test/support/until-time.ts',
    include: ['test/integration/**/*.test.ts'],
    exclude: waiting('integration'),
    globalSetup: ['test/support/install-servers.ts'],
    setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    provide: { threads: 1 },
    // They wait for servers and processes, of which each file has its own.
    maxWorkers: 3,
    sequence: { sequencer: longestFirst('workers', 'debian-sites', 'routes', 'stores', 'openlineage') },
  },
});
