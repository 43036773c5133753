import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ALL_ROUNDS, roundSeed } from './random.ts';

/** Groups of files that take turns by the kept seed: one group plays, `npm run test:nightly` plays all. */
export const TURNS = {
  browser: [['vitals'], ['demo-site', 'single-page-apps', 'issue-vitals'], ['rendering-kill', 'issue-pages']],
  integration: [
    ['shared-project', 'telemetry', 'dbt'],
    ['workers', 'mirror-readers', 'clone'],
    ['worker-kills', 'openlineage', 'sim-postgres'],
    ['debian-sites', 'orchestrators'],
  ],
  long: [
    [
      'crawl-command',
      'holds',
      'drop',
      'log-privacy',
      'figure-links',
      'https-site',
      'demand-sync',
      'kill-then',
      'demand-dry-run',
    ],
    [
      'hostile-answers',
      'load-orders',
      'backfill',
      'console-documents',
      'same-figures',
      'report',
      'parse-pool',
      'site-changes',
    ],
    [
      'route-parity',
      'one-bad-answer',
      'recovery',
      'kill-large',
      'logs-kill',
      'read-compare',
      'archive-bombs',
      'console-demand',
      'logs-remove',
      'explore-pages',
    ],
    [
      'questions',
      'disk-full',
      'writers-at-once',
      'docs-site',
      'kill-commands',
      'crawl-segments',
      'crawl-requests',
      'mirror',
    ],
    [
      'issues-command',
      'crawl-memory',
      'incremental-property',
      'outage',
      'data-export-faults',
      'schedule-command',
      'issue-pages',
      'demand-command',
      'logs-command',
      'page-statement',
      'type-drift',
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

/** Tests that play with every seed and cover the subject of a file that waits for its turn. */
export const COVERED_BY: Readonly<Record<keyof typeof TURNS, Readonly<Record<string, readonly string[]>>>> = {
  browser: {
    vitals: ['test/site/crawler/vitals'],
    'demo-site': ['test/browser/rendering.test.ts', 'test/long/crawl/demo-site.test.ts'],
    'single-page-apps': ['test/browser/rendering.test.ts'],
    'issue-vitals': ['test/browser/vitals.test.ts', 'test/golden'],
    'rendering-kill': ['test/browser/rendering.test.ts', 'test/site/crawler/crawl-kill.long.test.ts'],
    'issue-pages': ['test/long/crawl/demo-site.test.ts', 'test/golden'],
  },
  integration: {
    'shared-project': ['test/integration/shared-ledger.test.ts'],
    telemetry: ['test/core/logs/telemetry.test.ts'],
    workers: ['test/integration/unit-queue.test.ts', 'test/etl/pipeline/workers'],
    'worker-kills': ['test/integration/unit-queue.test.ts', 'test/etl/pipeline/workers'],
    openlineage: ['test/app/operations/openlineage'],
    'debian-sites': ['test/integration/package.test.ts', 'test/oddities'],
    dbt: ['test/app/answers/dictionary/dbt-sources.test.ts'],
    'mirror-readers': ['test/integration/mirror-iceberg.test.ts', 'test/etl/pipeline/publish/mirror.test.ts'],
    clone: ['test/integration/package.test.ts'],
    'sim-postgres': ['test/integration/shared-ledger.test.ts', 'test/sim'],
    orchestrators: ['test/docs/operate-page.test.ts', 'test/app/operations/schedule'],
  },
  long: {
    'crawl-command': ['test/app/cli/commands/crawl.long.test.ts'],
    holds: ['test/etl/pipeline/hold-units.test.ts'],
    drop: ['test/etl/pipeline/drop.test.ts', 'test/app/cli/commands/drop.test.ts'],
    'log-privacy': ['test/service/logs', 'test/long/state/secrets.test.ts'],
    'figure-links': [
      'test/long/answers/same-figures.test.ts',
      'test/etl/pipeline/transform/every-question.long.test.ts',
    ],
    'https-site': ['test/site/crawler/crawl-website.long.test.ts', 'test/golden'],
    'demand-sync': ['test/app/cli/commands/demand-add.long.test.ts', 'test/site/search-data'],
    'hostile-answers': ['test/hostile', 'test/hostile/hostile.long.test.ts'],
    'load-orders': [
      'test/etl/pipeline/transform/build/incremental-property.long.test.ts',
      'test/etl/pipeline/transform/build',
    ],
    backfill: ['test/long/run/run-plan.test.ts', 'test/long/console/console-actions.test.ts'],
    'console-documents': [
      'test/app/console/server/console-openapi.test.ts',
      'test/long/console/console-pages.test.ts',
    ],
    'same-figures': [
      'test/long/console/figure-links.test.ts',
      'test/etl/pipeline/transform/every-question.long.test.ts',
    ],
    report: ['test/app/answers/report'],
    'route-parity': ['test/long/run/parity.test.ts', 'test/etl/pipeline/routes'],
    'one-bad-answer': ['test/etl/pipeline/routes', 'test/long/faults/faults.test.ts'],
    recovery: ['test/etl/pipeline/publish/killed-publication.long.test.ts', 'test/long/run/reload.test.ts'],
    'kill-large': ['test/long/kills/kill.test.ts'],
    'logs-kill': ['test/service/logs'],
    'read-compare': ['test/app/answers/explore/compare/comparison-property.long.test.ts', 'test/golden'],
    'archive-bombs': ['test/site/access-logs/decompress.test.ts', 'test/long/faults/limits.test.ts'],
    'console-demand': [
      'test/long/answers/unknown-is-not-zero.test.ts',
      'test/long/console/console-pages.test.ts',
    ],
    questions: ['test/long/answers/strange-sites.test.ts'],
    'disk-full': ['test/site/crawler/crawl-full-disk.long.test.ts', 'test/core/files/atomic-file.test.ts'],
    'writers-at-once': ['test/core/locks', 'test/long/run/many-at-once.test.ts'],
    'docs-site': ['test/app/answers/dictionary'],
    'kill-commands': ['test/long/kills/kill.test.ts', 'test/core/files/atomic-file.test.ts'],
    'crawl-segments': [
      'test/etl/project/sql/segments/own-segments.long.test.ts',
      'test/etl/project/sql/segments',
    ],
    'issues-command': [
      'test/etl/project/sql/models/tune-issues.long.test.ts',
      'test/long/answers/explore-commands.test.ts',
    ],
    'crawl-memory': ['test/long/run/memory.test.ts', 'test/long/answers/strange-sites.test.ts'],
    'incremental-property': [
      'test/etl/pipeline/transform/build/load-orders.long.test.ts',
      'test/etl/pipeline/transform/build',
    ],
    outage: ['test/long/operations/bad-week.test.ts', 'test/etl/pipeline/run-units.test.ts'],
    'data-export-faults': ['test/etl/pipeline/routes', 'test/long/faults/faults.test.ts'],
    'schedule-command': ['test/app/operations/schedule'],
    'issue-pages': ['test/long/crawl/demo-site.test.ts', 'test/golden'],
    'demand-command': ['test/app/cli/commands/demand-add.long.test.ts', 'test/site/search-data'],
    'kill-then': ['test/long/kills/kill.test.ts'],
    'demand-dry-run': ['test/app/cli/commands/demand-add.long.test.ts'],
    'parse-pool': ['test/site/crawler/parse', 'test/site/crawler/crawl-website.long.test.ts'],
    'site-changes': ['test/app/operations/alert', 'test/long/operations/alerts.test.ts'],
    'logs-remove': ['test/app/cli/commands/logs-add.long.test.ts'],
    'explore-pages': [
      'test/long/answers/explore-commands.test.ts',
      'test/app/console/pages/project/page-list-page.test.ts',
    ],
    'crawl-requests': ['test/site/crawler/crawl-website.long.test.ts', 'test/site/crawler/requests'],
    mirror: ['test/etl/pipeline/publish/mirror.test.ts', 'test/app/operations/mirror'],
    'page-statement': ['test/app/answers/explore/pages', 'test/long/answers/same-figures.test.ts'],
    'type-drift': ['test/etl/pipeline/load', 'test/etl/state/catalog'],
    'logs-command': [
      'test/app/cli/commands/logs-add.long.test.ts',
      'test/site/access-logs/log-readers.long.test.ts',
    ],
  },
  trino: {
    publications: [
      'test/trino/trino-engine.test.ts',
      'test/etl/pipeline/publish/killed-publication.long.test.ts',
    ],
    golden: ['test/trino/trino-engine.test.ts', 'test/etl/engines/trino'],
    kill: ['test/trino/trino-engine.test.ts', 'test/etl/pipeline/publish/killed-publication.long.test.ts'],
    run: ['test/trino/trino-engine.test.ts'],
    parity: ['test/trino/trino-engine.test.ts', 'test/etl/engines/trino'],
    workers: ['test/trino/trino-engine.test.ts', 'test/etl/pipeline/workers'],
    reading: ['test/trino/trino-engine.test.ts', 'test/trino/mirror.test.ts'],
    move: ['test/trino/trino-engine.test.ts', 'test/app/operations/move'],
    'trino-rows': ['test/trino/trino-engine.test.ts', 'test/trino/mirror.test.ts'],
    query: [
      'test/trino/trino-engine.test.ts',
      'test/etl/engines/trino',
      'test/etl/pipeline/transform/every-question.long.test.ts',
    ],
  },
};

const TESTS = readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' });

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
    .map((name) => fileOfTurn(suite, name));
}

/** The file of a name. A long test lies in a folder of `test/long`, or at the path of its source as `*.long.test.ts`. */
export function fileOfTurn(suite: keyof typeof TURNS, name: string): string {
  if (suite !== 'long') return `test/${suite}/${name}.test.ts`;
  const isNamed = (file: string): boolean =>
    basename(file) === `${name}.long.test.ts` ||
    (file.startsWith('long/') && basename(file) === `${name}.test.ts`);
  const [file, ...others] = TESTS.filter(isNamed);
  if (file === undefined || others.length > 0)
    throw new Error(`${name} takes turns, but is the name of ${others.length + (file ? 1 : 0)} long tests`);
  return `test/${file}`;
}
