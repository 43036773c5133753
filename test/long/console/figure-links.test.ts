import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import type { Connection } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { STORY } from '../../app/answers/explore/story-site.ts';
import { ALL_SITES } from '../../questions/sites/all-sites.ts';
import { loadSites, SQL } from '../../questions/sites/load-sites.ts';
import type { Sites } from '../../questions/sites/sites.ts';
import { consoleProject } from '../../support/console-project.ts';
import { type OpenConsole, openConsole } from '../../support/open-console.ts';
import { environmentOf, projectFolder, runProject } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { runModels } from '../../support/run-models.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** Projects that a run walks, and links that it follows, of one warehouse, by the kept seed; with ALL_ROUNDS all. */
const [MOST_PROJECTS, MOST_LINKS] = ALL_ROUNDS ? [1000, Number.POSITIVE_INFINITY] : [4, 60];

/** A link to a list of pages, with the figure that it stands on; null where it has none. */
interface Figure {
  readonly on: string;
  readonly href: string;
  readonly text: string;
  readonly pages: number | null;
}

const LINK = /<a ([^>]*)>([\s\S]*?)<\/a>/g;

function figuresOf(on: string, page: string): Figure[] {
  return [...page.matchAll(LINK)].flatMap(([, attributes = '', inner = '']) => {
    const href = unescaped(/href="([^"]*)"/.exec(attributes)?.[1] ?? '');
    if (!/^\/projects\/[^/?]+\/pages\?/.test(href) || inner.includes('unseen')) return [];
    const label = /aria-label="([^"]*)"/.exec(attributes)?.[1];
    const text = label ?? inner.replaceAll(/<text[\s\S]*<\/text>|<[^>]*>/g, '').trim();
    return [{ on, href, text, pages: figureOf(label, inner) }];
  });
}

/** The number of a mark is the end of its label, of a key it is bold, else it is all of the text. */
function figureOf(label: string | undefined, inner: string): number | null {
  const plain = inner.replaceAll(/<[^>]*>/g, '').trim();
  const found =
    label === undefined
      ? (/<b>([\d,]+)(?: \([^)]*\))?<\/b>/.exec(inner)?.[1] ?? /^([\d,]+)(?: pages?)?$/.exec(plain)?.[1])
      : /: ([\d,]+)$/.exec(label)?.[1];
  return found === undefined ? null : Number(found.replaceAll(',', ''));
}

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'");

const random = seededRandom(roundSeed());

function someOf<T>(all: readonly T[], most: number): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, most)
    .map(({ one }) => one);
}

/** The pages that a page links to, but lists of pages and single URLs. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/href="(\/[^"#]*)"/g)]
    .map(([, found = '']) => unescaped(found))
    .filter((path) =>
      /^\/(crawls\/[^/?]+|projects(\/[^/?]+(\/(issues|compare|demand|structure))?)?)$/.test(path),
    );
}

/** Every link to a list of pages on the pages of the overview, and of some projects and their crawls. */
async function walk({ ask }: OpenConsole): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const seen = new Set<string>();
  const look = async (path: string): Promise<string[]> => {
    if (seen.has(path)) return [];
    seen.add(path);
    const response = await ask(`${path}?wait=1`);
    const page = await response.text();
    expect([path, response.status, /This page (failed|could not)/.test(page)]).toEqual([path, 200, false]);
    figures.push(...figuresOf(path, page));
    return linksOf(page);
  };
  const first = [...(await look('/')), ...(await look('/projects'))];
  const projects = [...new Set(first.filter((path) => /^\/projects\/[^/]+$/.test(path)))];
  for (const project of someOf(projects, MOST_PROJECTS))
    for (const path of await look(project)) if (path !== '/projects') await look(path);
  return figures;
}

async function publish(parent: string, sites: Sites): Promise<Settings> {
  return consoleProject(
    parent,
    async (connection: Connection) => {
      await loadSites(connection, sites);
      const models = await loadModels([sqlFolder(SQL)]);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
}

async function generated(parent: string): Promise<Settings> {
  await using sandbox = await started();
  const folder = await projectFolder(parent);
  const { report } = await runProject(folder, sandbox, {});
  expect(report.status).toBe('done');
  return loadSettings(folder, environmentOf(sandbox));
}

async function started() {
  const sandbox = await startSandbox({
    generate: [
      'projects=2,crawls=3,pages=120,links=400,columns=120,clusters=8,structured_data=30,log_days=9,events=300,ranking_days=40,seed=11',
    ],
  });
  return { ...sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
}

const WAREHOUSES: Readonly<Record<string, (parent: string) => Promise<Settings>>> = {
  'a service with logs and rankings': generated,
  'sites with the corners of real ones': (parent) => publish(parent, ALL_SITES),
  'a shop of three crawls': (parent) => publish(parent, STORY),
};

const names = Object.keys(WAREHOUSES);

describe.for(ALL_ROUNDS ? names : names.slice(roundSeed() % 3).slice(0, 1))('of %s', (name) => {
  const folder = sharedFolder();
  const closing: (() => PromiseLike<void>)[] = [];
  let served: OpenConsole;
  let figures: readonly Figure[];
  beforeAll(async () => {
    const settings = await WAREHOUSES[name]?.(folder);
    if (settings === undefined) throw new Error(name);
    served = await openConsole(settings, (close) => closing.push(close));
    figures = await walk(served);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  test('every figure of the console equals the number of pages behind its link', async () => {
    expect(figures.filter(({ pages }) => pages !== null).length).toBeGreaterThan(20);
    const distinct = [...new Map(figures.map((one) => [`${one.href} ${one.pages}`, one])).values()];
    const chosen = someOf(distinct, MOST_LINKS);
    const wrong: string[] = [];
    for (const { on, href, text, pages } of chosen) {
      const response = await served.ask(href.replace('/pages?', '/pages.json?'));
      const { total, error } = (await response.json()) as { total?: number; error?: { message: string } };
      if (error !== undefined || (pages !== null && total !== pages))
        wrong.push(`${on}: ${text} → ${href}: ${error?.message ?? total}`);
    }
    expect(wrong).toEqual([]);
    console.info(`${chosen.length} of ${distinct.length} links compared`);
  });

  test('viewers can open every link, and see only forms that they can send', async () => {
    const cookie = await served.signIn('grace', 'viewer');
    const [list = { href: '' }] = figures.filter(({ pages }) => pages !== null && pages > 0);
    const [, project = ''] = /^(\/projects\/[^/?]+)/.exec(list.href) ?? [];
    const rooms = ['structure', 'segments', 'tickets', 'demand'].map((room) => `${project}/${room}`);
    const kinds = new Map(['/', '/ask', project, ...rooms, list.href].map((path) => [path, path]));
    const refused: string[] = [];
    for (const [, path] of kinds) {
      const answer = await served.ask(path, { cookie });
      if (answer.status === 403) refused.push(path);
      if (!answer.headers.get('content-type')?.startsWith('text/html')) {
        await answer.body?.cancel();
        continue;
      }
      const page = (await answer.text()).replaceAll(/Analysts can <a[^>]*>/g, '');
      for (const [, action = ''] of page.matchAll(/<form[^>]* method="post" action="([^"]*)"/g))
        if (!['/ask', '/sign-out'].includes(action)) refused.push(`${path}: form to ${action}`);
      // One of each page and of each filter.
      for (const [, found = ''] of page.matchAll(/href="(\/[^"#]*)"/g)) {
        const href = unescaped(found);
        const kind = href
          .replaceAll(/=[^&]*/g, '')
          .replace(/^\/(projects|crawls|runs|units)\/[^/?]+/, '/$1/x');
        if (kinds.size < 80 && !kinds.has(kind)) kinds.set(kind, href);
      }
    }
    expect(refused).toEqual([]);
    const downloads = [...kinds.values()].filter((path) => /download\?/.test(path));
    console.info(`${kinds.size} pages opened by a viewer, ${downloads.length} downloads`);
    expect(downloads.length).toBeGreaterThan(1);
  });
});
