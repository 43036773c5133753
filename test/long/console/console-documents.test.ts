import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGES } from '../../../src/app/console/pages/all-pages.ts';
import { jsonPath } from '../../../src/app/console/server/console-openapi.ts';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import type { OpenApiDocument } from '../../../src/client/openapi/openapi.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { STORY } from '../../app/answers/explore/story-site.ts';
import { ADDRESSES, visitedProject } from '../../browser/visited-project.ts';
import { DocumentCheck } from '../../contract/document-check.ts';
import { loadSites, SQL } from '../../questions/sites/load-sites.ts';
import { consoleProject, ledgerRun, ledgerUnit } from '../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../support/open-console.ts';
import { projectFolder } from '../../support/project.ts';
import { runModels } from '../../support/run-models.ts';
import { sharedFolder } from '../../support/temporary.ts';

type Place = Parameters<NonNullable<(typeof ADDRESSES)[string]>>[0];

const NAMED: Place = {
  project_id: 'p-shop',
  crawl_id: 'shop-3',
  run_id: 'r1',
  unit: 'crawl_clusters/shop-3',
  url: 'https://shop.example/',
};

async function story(parent: string): Promise<Settings> {
  const models = await loadModels([sqlFolder(SQL)]);
  return consoleProject(
    parent,
    async (connection) => {
      await loadSites(connection, STORY);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true, units: [ledgerUnit('crawl_clusters/shop-3')], runs: [ledgerRun('r1')] },
  );
}

const OF_ACTIONS = /^\/(do|uploads|start|connect|crawling|schedules|links)\b/;
/** The one whose console starts and drops things. */
const DOING = 'a service with a unit that fails';

const WAREHOUSES: Readonly<Record<string, (parent: string) => Promise<Place & { settings: Settings }>>> = {
  [DOING]: async (parent) => {
    const project = await visitedProject(parent);
    closing.push(() => project[Symbol.asyncDispose]());
    return project;
  },
  'a shop with logs and search results': async (parent) => ({
    ...NAMED,
    settings: { ...(await story(parent)), console_actions: false },
  }),
  nothing: async (parent) => ({ ...NAMED, settings: await loadSettings(await projectFolder(parent), {}) }),
};

const closing: (() => PromiseLike<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe.for(Object.keys(WAREHOUSES))('of %s', (name) => {
  const folder = sharedFolder();
  let place: Place;
  let served: OpenConsole;
  let check: DocumentCheck;
  beforeAll(async () => {
    const made = await WAREHOUSES[name]?.(folder);
    if (made === undefined) throw new Error(name);
    place = made;
    served = await openConsole(made.settings, (close) => closing.push(close));
    const document = await (await served.ask('/openapi.json')).json();
    check = new DocumentCheck(document as OpenApiDocument);
  });

  test.for(PAGES.map(({ path }) => path))('%s responds as its OpenAPI document says', async (path) => {
    const [before = '', query] = (ADDRESSES[path]?.(place) ?? '').split('?');
    const address = jsonPath(before) + (query === undefined ? '' : `?${query}`);
    const response = await served.ask(address);
    const answer = Buffer.from(await response.arrayBuffer());
    const shown = `${address}: ${answer.subarray(0, 500)}`;
    const isThere = name === DOING || (name !== 'nothing' && !OF_ACTIONS.test(path));
    // A console that only reads refuses the pages of actions.
    const missing = OF_ACTIONS.test(path) ? [403, 404] : [404];
    expect(response.status, shown).toBeOneOf(isThere ? [200] : [200, ...missing]);
    const { status } = response;
    const recorded = { method: 'GET', path: jsonPath(path), status, answerType: 'application/json', answer };
    expect(check.problemsOfAnswer(recorded as never), shown).toEqual([]);
  });
});
