import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadSites, SQL } from '../../../questions/sites/load-sites.ts';
import { consoleProject } from '../../../support/console-project.ts';
import { openConsole } from '../../../support/open-console.ts';
import { runModels } from '../../../support/run-models.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { STORY } from '../../answers/explore/story-site.ts';

/** Nobody waits for its end. */
const ENDLESS = 'SELECT count(*) FROM range(1_000_000_000) a, range(1_000_000_000) b';
const PAGES = [
  '/',
  '/projects/p-shop.json',
  '/projects.json',
  '/projects/p-shop/pages.json',
  '/projects/p-shop/url.json?url=https%3A%2F%2Fshop.example%2F',
  '/projects/p-shop/compare.json',
  '/projects/p-shop/issues.json',
  '/search.json?q=lamp',
  '/crawls/shop-3.json',
];

test('no page waits for queries or downloads of other people', async () => {
  const models = await loadModels([sqlFolder(SQL)]);
  const settings = await consoleProject(
    await temporaryFolder(),
    async (connection) => {
      await loadSites(connection, STORY);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
  const { ask, signIn } = await openConsole(settings);
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const answered: string[] = [];
  const greedy = [await signIn('one@example.com'), await signIn('two@example.com')];
  // A person has four downloads at once.
  for (const [path, most] of [
    ['/ask.json?run=1&sql=', 12],
    ['/ask/download?format=csv&sql=', 4],
  ] as const)
    for (const cookie of greedy)
      for (let i = 0; i < most; i++) {
        const one = `${path}${encodeURIComponent(`${ENDLESS} -- ${i}`)}`;
        void ask(one, { cookie, signal: left.signal }).then(
          () => answered.push(one),
          () => {},
        );
      }
  const statuses: [string, number][] = [];
  for (const path of PAGES) {
    statuses.push([path, (await ask(path)).status]);
    // On a slow machine, queries reach their time limit before the last pages.
    if (statuses.length <= 2) expect(answered).toEqual([]);
  }
  expect(statuses).toEqual(PAGES.map((path) => [path, 200]));
});
