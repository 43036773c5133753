import { ALL_ROUNDS, daySeed } from './random.ts';

/** Groups of files that take turns by the day (UTC): one group plays today, `npm run test:nightly` plays all. */
export const TURNS = {
  browser: [['vitals'], ['demo-site', 'single-page-apps']],
  integration: [['shared-project', 'telemetry'], ['workers'], ['worker-kills', 'openlineage']],
  long: [
    ['crawl-command', 'holds', 'drop'],
    ['hostile-answers', 'load-orders', 'backfill'],
    ['route-parity', 'one-bad-answer', 'recovery', 'kill-large', 'logs-kill'],
    ['questions', 'value-oracle', 'disk-full'],
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

/** The files of a suite that wait for another day, but those that the command names. */
export function waiting(suite: keyof typeof TURNS): string[] {
  if (ALL_ROUNDS) return [];
  const named = process.argv.slice(2).filter((argument) => argument !== 'run');
  return filesOfOtherDays(suite, daySeed()).filter(
    (file) => !named.some((argument) => file.includes(argument)),
  );
}

export function filesOfOtherDays(suite: keyof typeof TURNS, day: number): string[] {
  const groups = TURNS[suite];
  return groups
    .filter((_, turn) => turn !== day % groups.length)
    .flat()
    .map((name) => `test/${suite}/${name}.test.ts`);
}
