import { ALL_ROUNDS, roundSeed } from './random.ts';

/** Groups of files that take turns by the kept seed: one group plays, `npm run test:nightly` plays all. */
export const TURNS = {
  browser: [['vitals'], ['demo-site', 'single-page-apps', 'issue-vitals']],
  integration: [['shared-project', 'telemetry'], ['workers'], ['worker-kills', 'openlineage']],
  long: [
    ['crawl-command', 'holds', 'drop'],
    ['hostile-answers', 'load-orders', 'backfill'],
    ['route-parity', 'one-bad-answer', 'recovery', 'kill-large', 'logs-kill'],
    ['questions', 'disk-full'],
    [
      'issues-command',
      'crawl-memory',
      'incremental-property',
      'outage',
      'data-export-faults',
      'schedule-command',
    ],
  ],
  trino: [
    ['publications', 'golden', 'kill'],
    ['run', 'parity'],
    ['workers', 'reading'],
    ['move', 'trino-rows'],
  ],
} as const;

/** The files of a suite that wait for another seed, but those that the command names. */
export function waiting(suite: keyof typeof TURNS): string[] {
  if (ALL_ROUNDS) return [];
  const named = process.argv.slice(2).filter((argument) => argument !== 'run');
  return filesOfOtherSeeds(suite, roundSeed()).filter(
    (file) => !named.some((argument) => file.includes(argument)),
  );
}

export function filesOfOtherSeeds(suite: keyof typeof TURNS, seed: number): string[] {
  const groups = TURNS[suite];
  return groups
    .filter((_, turn) => turn !== seed % groups.length)
    .flat()
    .map((name) => `test/${suite}/${name}.test.ts`);
}
