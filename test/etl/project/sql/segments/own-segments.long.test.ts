import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../../../src/etl/project/sql/questions/questions.ts';
import { factsOf } from '../../../../questions/answers/facts.ts';
import { compareQuestion } from '../../../../questions/compare-question.ts';
import { ALL_SITES } from '../../../../questions/sites/all-sites.ts';
import { buildModels, loadSites, SQL } from '../../../../questions/sites/load-sites.ts';
import type { Crawl, Project, Row, Sites } from '../../../../questions/sites/sites.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

/** One segmentation for all projects, and one for a project by its name and another by its host. */
const FILE = `segmentations:
  - name: own "place"
    segments:
      - { name: it's text, url: ['/t/', '*?*'] }
      - { name: redirect, oql: { field: [status_code, between, [300, 400]] } }
      - { name: mapped, oql: { field: [sources, contains, SITEMAP, { ci: true }] } }
      - name: far
        sql: |
          depth >= 3 -- clicks
          OR nb_inlinks = 0
    else: other
  - name: part
    projects: ["NAME", HOST]
    segments:
      - { name: titled, oql: { field: [title, has_value, ''] } }
`;

const named = ALL_SITES.projects.find(({ id }) => id === 'p-a') as Project;
const hosted = ALL_SITES.projects.find(
  ({ id, startUrl }) =>
    id !== named.id && startUrl !== null && hostOf(startUrl) !== hostOf(named.startUrl ?? ''),
) as Project;
const parts = ALL_SITES.projects.filter(
  ({ id, startUrl }) =>
    id === named.id || (startUrl !== null && hostOf(startUrl) === hostOf(hosted.startUrl ?? '')),
);
function hostOf(url: string): string {
  return (
    url
      .replace(/^[^:]*:\/\//, '')
      .split(/[/?]/)[0]
      ?.toLowerCase() ?? ''
  );
}

/** The same segments in plain code. */
function segmentOf(row: Row): string {
  const path = String(row.url).replace(/^[^:/?#]*:\/\/[^/?#]*/, '');
  const status = Number(row.status_code ?? 0);
  const sources = (row.sources ?? []) as readonly string[];
  if (path.startsWith('/t/') || path.includes('?')) return "it's text";
  if (status >= 300 && status < 400) return 'redirect';
  if (sources.some((one) => one.toLowerCase().includes('sitemap'))) return 'mapped';
  return Number(row.depth ?? 0) >= 3 || row.nb_inlinks === 0 ? 'far' : 'other';
}

/** The sites as if the service had these segmentations. */
const withSegments = (crawl: Crawl): Crawl => {
  if (!crawl.pages) return crawl;
  const isPart = parts.some(({ id }) => id === crawl.projectId);
  const rows = crawl.pages.rows.map((row) => ({
    ...row,
    'page_group_own "place"': segmentOf(row),
    page_group_part: isPart && (row.title ?? null) !== null ? 'titled' : null,
  }));
  return {
    ...crawl,
    pages: { rows, fields: [...crawl.pages.fields, 'page_group_own "place"', 'page_group_part'] },
  };
};
const OF_SERVICE: Sites = { ...ALL_SITES, crawls: ALL_SITES.crawls.map(withSegments) };

const questions = await loadQuestions([sqlFolder(SQL)]);
const facts = factsOf(OF_SERVICE);
let ofFile: TestWarehouse;
/** The rows of each model where the service has the segmentations, as texts. */
const ofService = new Map<string, readonly string[]>();
const MODELS = [
  'page_groups',
  'page_segments',
  'crawl_segments',
  'crawl_kpis',
  'status_codes_by_segment',
  'pages_wide',
] as const;

async function rowsOf({ connection }: TestWarehouse, model: string): Promise<string[]> {
  const found = await connection.jsonRows(
    `SELECT COLUMNS(name -> NOT starts_with(name, '_load')) FROM mart.${model} ORDER BY ALL`,
  );
  return found.map((row) => JSON.stringify(row));
}

beforeAll(async () => {
  {
    await using warehouse = await openWarehouse();
    await loadSites(warehouse.connection, OF_SERVICE);
    await buildModels(warehouse.connection, SQL);
    for (const model of MODELS) ofService.set(model, await rowsOf(warehouse, model));
  }
  ofFile = await openWarehouse();
  const project = join(ofFile.folder, 'project');
  await mkdir(project);
  const names = { NAME: JSON.stringify(named.name).slice(1, -1), HOST: hostOf(hosted.startUrl ?? '') };
  await writeFile(
    join(project, 'segments.yaml'),
    FILE.replace('NAME', names.NAME).replace('HOST', names.HOST),
  );
  await loadSites(ofFile.connection, ALL_SITES);
  await buildModels(ofFile.connection, SQL, project);
});
afterAll(async () => {
  await ofFile[Symbol.asyncDispose]();
});

test('the test sites have pages in every segment', () => {
  const all = OF_SERVICE.crawls.flatMap(({ pages }) => pages?.rows ?? []);
  const counts = Object.groupBy(all, (row) => String(row['page_group_own "place"']));
  expect(Object.keys(counts).sort()).toEqual(['far', "it's text", 'mapped', 'other', 'redirect']);
  expect(all.filter((row) => row.page_group_part === 'titled').length).toBeGreaterThan(20);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.length).toBeLessThan(ALL_SITES.projects.length);
});

test.each(MODELS)('mart.%s contains the rows of equal segmentations of the service', async (model) => {
  const [own, service] = [await rowsOf(ofFile, model), ofService.get(model) ?? []];
  expect(own.length).toBeGreaterThan(20);
  expect(own.filter((row) => !service.includes(row)).slice(0, 3)).toEqual([]);
  expect(own.length).toBe(service.length);
});

const CASES: readonly Readonly<Record<string, string>>[] = [
  {},
  ...['far', "it's text", 'titled'].map((segment) => ({ segment })),
  ...['own "place"', 'part', 'kind'].map((segmentation) => ({ segmentation })),
  { segmentation: 'own "place"', segment: 'redirect' },
];
const casesOf = ({ parameters }: Question) =>
  CASES.filter((given) => Object.keys(given).every((name) => parameters.some((one) => one.name === name)));

for (const question of questions.filter(({ sql }) => /\$segment|page_segments/.test(sql)))
  test(`${question.name} matches plain code with segments.yaml`, async () => {
    expect(await compareQuestion(ofFile.connection, question, facts, casesOf(question))).toEqual([]);
  });

test('questions with rows by segment use segments.yaml', () => {
  const names = questions.filter(({ parameters }) => parameters.some(({ name }) => name === 'segmentation'));
  expect(names.map(({ name }) => name.slice(0, 3))).toEqual(['q10', 'q16', 'q20', 'q29', 'q33']);
});
