import { defineConfig } from 'vitest/config';
import { testFiles } from './test/support/kinds.ts';
import { longestFirst } from './test/support/longest-first.ts';
import { waiting } from './test/support/turns.ts';

const shared = {
  runner: 'test/support/until-time.ts',
  setupFiles: ['test/support/clean-environment.ts', 'test/support/seed.ts'],
  testTimeout: 900_000,
  hookTimeout: 900_000,
};
/** They measure memory, or fill a disk. */
const ALONE = ['test/long/run/memory.test.ts', 'test/long/faults/disk-full.test.ts'];
/** Properties and cases of which `npm test` has a sample. */
const { sampled } = testFiles();
const LONGEST =
  'kill crawl-command hostile hostile-answers simulated-year kill-large value-oracle holds route-parity outage questions';

/** Kills, simulations and large properties: `npm run test:long`, by seed (SEED). Three files run at once, then some alone. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'beside',
          include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts', ...sampled],
          exclude: [...ALONE, ...waiting('long')],
          // DuckDB turns idly while another of its threads works: on small data, two took a third more processor time.
          provide: { threads: 1 },
          // Two cores are kept busy by three: many tests wait for polls, kills and processes.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: ALONE,
          exclude: waiting('long'),
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    sequence: { sequencer: longestFirst(...LONGEST.split(' ')) },
  },
});
