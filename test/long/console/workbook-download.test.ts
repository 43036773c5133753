import { beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Settings } from '../../../src/etl/project/settings/settings.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { STORY } from '../../app/answers/explore/story-site.ts';
import { loadSites, SQL } from '../../questions/sites/load-sites.ts';
import { consoleProject } from '../../support/console-project.ts';
import { openConsole } from '../../support/open-console.ts';
import { crawlhouse } from '../../support/project.ts';
import { readXlsx } from '../../support/read-xlsx.ts';
import { runModels } from '../../support/run-models.ts';
import { sharedFolder } from '../../support/temporary.ts';

const folder = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  const models = await loadModels([sqlFolder(SQL)]);
  const made = await consoleProject(
    folder,
    async (connection) => {
      await loadSites(connection, STORY);
      await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
    },
    { withQuestions: true },
  );
  settings = { ...made, console_actions: true };
});

test('the workbook of a crawl has the counts of the issues page, from the console and the command', async () => {
  const { ask } = await openConsole(settings);
  const sent = await ask('/projects/p-shop/workbook?crawl=shop-2');
  expect([sent.status, sent.headers.get('content-disposition')]).toEqual([
    200,
    expect.stringMatching(/^attachment; filename="p-shop-shop-2-\d{4}-\d\d-\d\d\.xlsx"$/),
  ]);
  const sheets = readXlsx(Buffer.from(await sent.arrayBuffer()));
  const document = await (await ask('/projects/p-shop/issues.json?crawl=shop-2')).json();
  const { issues } = document as { issues: { title: string; pages: number }[] };
  expect(issues.length).toBeGreaterThan(3);
  const [head = [], ...rows] = sheets[1]?.rows ?? [];
  const column = (name: string) => rows.map((row) => row[head.indexOf(name)]);
  expect([column('Issue'), column('Pages')]).toEqual([
    issues.map(({ title }) => title),
    issues.map(({ pages }) => pages),
  ]);
  const { total } = (await (await ask('/projects/p-shop/pages.json?crawl=shop-2')).json()) as {
    total: number;
  };
  expect(sheets[0]?.rows.find(([name]) => name === 'Pages')?.[1]).toBe(total);
  expect((await ask('/projects/p-shop/workbook?crawl=nothing')).status).toBe(400);
  const made = await crawlhouse(settings.projectDir, null, [
    'report',
    '--project',
    'Shop',
    '--output',
    'r.xlsx',
  ]);
  expect([made.status, made.stderr]).toEqual([
    0,
    expect.stringMatching(/^Shop with the pages of \d+ issues in r\.xlsx\n$/),
  ]);
});

test('a link to a page list shows the main crawl at request time, or the selected crawl', async () => {
  const { ask, url } = await openConsole(settings);
  const lines = async (query: string): Promise<string[]> => {
    const page = await (await ask(`/projects/p-shop/pages?${query}`)).text();
    const form = /<form method="post" action="\/links"[\s\S]*?<\/form>/.exec(page)?.[0] ?? '';
    const fields = [...form.matchAll(/name="([^"]+)"(?: required maxlength="100")? value="([^"]*)"/g)];
    const text = (value = ''): string =>
      value
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&');
    const body = new URLSearchParams(
      Object.fromEntries(fields.map(([, name = '', value]) => [name, text(value)])),
    );
    const sent = await ask('/links', { method: 'POST', body, headers: { origin: url } });
    const shown = await (await ask(sent.headers.get('location') ?? '')).text();
    const csv = await ask(/\/shared\/[\w-]+\.csv/.exec(shown)?.[0] ?? '', { cookie: '' });
    return (await csv.text()).trimEnd().split('\n');
  };
  const rows = async (query: string): Promise<number> =>
    ((await (await ask(`/projects/p-shop/pages.json?${query}`)).json()) as { total: number }).total;
  for (const query of ['', 'depth=gte:2', 'crawl=shop-1', 'crawl=shop-2&change=added'])
    expect((await lines(query)).length - 1, query).toBe(await rows(query));
  const { links } = (await (await ask('/links.json')).json()) as { links: { query: string }[] };
  expect(links.map(({ query }) => new URLSearchParams(query).get('param.crawl'))).toEqual([
    'shop-2',
    'shop-1',
    null,
    null,
  ]);
});
