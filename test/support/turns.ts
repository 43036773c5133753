import { ALL_ROUNDS, roundSeed } from './random.ts';

/** Groups of files that take turns by the kept seed: one group plays, `npm run test:nightly` plays all. */
export const TURNS = {
  browser: [['vitals'], ['demo-site', 'single-page-apps', 'issue-vitals'], ['rendering-kill', 'issue-pages']],
  integration: [
    ['shared-project', 'telemetry'],
    ['workers'],
    ['worker-kills', 'openlineage'],
    ['debian-sites'],
  ],
  long: [
    ['crawl-command', 'holds', 'drop', 'log-privacy', 'figure-links', 'https-site', 'demand-sync'],
    ['hostile-answers', 'load-orders', 'backfill', 'console-documents', 'same-figures', 'report'],
    [
      ...['route-parity', 'one-bad-answer', 'recovery', 'kill-large', 'logs-kill'],
      ...['read-compare', 'archive-bombs', 'console-demand'],
    ],
    ['questions', 'disk-full', 'writers-at-once', 'docs-site', 'kill-commands', 'crawl-segments'],
    [
      ...['issues-command', 'crawl-memory', 'incremental-property', 'outage', 'data-export-faults'],
      ...['schedule-command', 'issue-pages', 'demand-command', 'logs-command'],
    ],
  ],
  trino: [
    ['publications', 'golden', 'kill'],
    ['run', 'parity'],
    ['workers', 'reading'],
    ['move', 'trino-rows'],
    ['query'],
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
