import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { table, text } from '../../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { columnType, type Field } from '../../../../../src/etl/project/model/field.ts';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../../../src/etl/project/sql/questions/questions.ts';
import { parseSelect } from '../../../../../src/etl/project/sql/text/sql-tree.ts';
import { tableReferences } from '../../../../../src/etl/project/sql/text/table-references.ts';
import { askQuestion } from '../../../../support/ask-question.ts';
import { runModels } from '../../../../support/run-models.ts';
import { expectBadModel, withSqlFiles } from '../model-files.ts';
import { createTable, openWarehouse, type TestWarehouse } from '../test-warehouse.ts';

const repository = join(import.meta.dirname, '../../../../..');
const data = join(repository, '../shared/data');
const questions = await loadQuestions([sqlFolder(join(repository, 'sql'))]);

const CRAWLS = [
  { id: 'gov-1', project_id: 'gov', ended_at: Date.UTC(2025, 0, 9), folder: 'gov-sites-2025-01-09' },
  { id: 'gov-2', project_id: 'gov', ended_at: Date.UTC(2025, 0, 16), folder: 'gov-sites-2025-01-16' },
  { id: 'typo3', project_id: 'typo3', ended_at: Date.UTC(2025, 0, 20), folder: 'typo3-site' },
];

test('an invalid question is refused with its line', async () => {
  const file = '/*\ntitle: T\nmodell: mart.a\n*/\nSELECT 1';
  await withSqlFiles({ 'questions/q01.sql': file }, (sqlDir) =>
    expectBadModel(
      loadQuestions([sqlFolder(sqlDir)]),
      'sql/questions/q01.sql:3: unknown key modell',
      'did you mean model? allowed keys: title, task, model, description, parameters, needs, chart',
    ),
  );
});

test('a project without questions has none', async () => {
  expect(await withSqlFiles({ 'm/a.sql': '' }, (sqlDir) => loadQuestions([sqlFolder(sqlDir)]))).toEqual([]);
});

describe('on an empty warehouse', () => {
  test.each(questions)('$name runs, reads the model it names and no raw table', async (question) => {
    const { name, model, sql } = question;
    const { connection } = empty;
    expect(await askQuestion(connection, question)).toEqual([]);
    const tree = await parseSelect(connection, sql, { file: name, line: 1 });
    const read = tableReferences(tree).map((reference) => `${reference.schema}.${reference.name}`);
    expect(read).toContain(model);
    expect(read.filter((reference) => !reference.startsWith('mart.'))).toEqual([]);
  });
});

/** Whether a status shows what the page is: it was read, or is gone. */
const isRead = (status: unknown): boolean =>
  [200, 301, 308, 404, 410].includes(Number(status)) || (Number(status) > 200 && Number(status) < 300);

const missing = existsSync(data) ? '' : ` (skipped: ${data} is not there)`;

describe.skipIf(missing !== '')(`on real crawls${missing}`, () => {
  test('of 196 pages only in the earlier crawl, 9 moved; new pages may be old, because some pages were refused', async () => {
    expect(
      await real.connection.jsonRows(`
        SELECT crawl_id, previous_crawl_id, change, count(*)::INTEGER AS pages FROM mart.page_changes
        WHERE "before" IS NULL AND "after" IS NULL GROUP BY ALL ORDER BY change`),
    ).toEqual([
      { crawl_id: 'gov-2', previous_crawl_id: 'gov-1', change: 'missing', pages: 158 },
      { crawl_id: 'gov-2', previous_crawl_id: 'gov-1', change: 'moved', pages: 9 },
      { crawl_id: 'gov-2', previous_crawl_id: 'gov-1', change: 'removed', pages: 3 },
    ]);
  });

  test('changed fields of common pages match plain code', async () => {
    const [before, after] = await Promise.all([
      rowsOf('gov-sites-2025-01-09'),
      rowsOf('gov-sites-2025-01-16'),
    ]);
    const expected = ['status_code', 'title', 'meta_description', 'rel_canonical'].flatMap((field) =>
      [...after].flatMap(([url, page]) => {
        const former = before.get(url);
        // What a page says is compared where it answered alike, and the crawls read it.
        const isOther =
          field === 'status_code'
            ? [former?.status_code, page.status_code].some((status) => (status ?? null) === null)
            : former?.status_code !== page.status_code || !isRead(page.status_code);
        return former && !isOther && former[field] !== page[field] ? [`${field} ${url}`] : [];
      }),
    );
    const found = await real.connection.jsonRows(
      // Indexability is made of several fields: test/questions has its second answer.
      "SELECT change || ' ' || url AS change FROM mart.page_changes WHERE change IN ('status_code', 'title', 'h1', 'meta_description', 'rel_canonical')",
    );
    expect(found.map(({ change }) => change).sort()).toEqual(expected.sort());
    expect(expected.length).toBeGreaterThan(0);
  });

  test('links to broken pages match plain code', async () => {
    const lines = (await readFile(join(data, 'typo3-site/links.jsonl'), 'utf8')).trim().split('\n');
    const links = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const broken = links.filter(
      ({ target_status }) => Number(target_status) >= 400 && Number(target_status) < 600,
    );
    const [totals] = await real.connection.jsonRows(
      `SELECT count(DISTINCT target)::INTEGER AS targets, coalesce(sum(links), 0)::INTEGER AS links
       FROM mart.links_to_broken_pages WHERE target IN (SELECT target FROM mart.links WHERE target_status >= 400)`,
    );
    expect(totals).toEqual({
      targets: new Set(broken.map(({ target }) => target)).size,
      links: broken.length,
    });
  });

  test('every data test passes on real crawls', () => {
    expect(failed).toEqual([]);
  });
});

let empty: TestWarehouse;
let real: TestWarehouse;
let failed: string[] = [];

beforeAll(async () => {
  empty = await openWarehouse();
  await build(empty);
  real = await openWarehouse();
  if (missing !== '') return;
  await loadRealCrawls(real);
  failed = await build(real);
});

afterAll(async () => {
  await empty[Symbol.asyncDispose]();
  await real[Symbol.asyncDispose]();
});

async function build({ connection }: TestWarehouse): Promise<string[]> {
  const models = await loadModels([sqlFolder(join(repository, 'sql'))]);
  const { tests } = await runModels({ connection, models, changed: 'all', runId: 'r', logger: silentLogger });
  return tests.filter(({ status }) => status === 'failed').map(({ model, name }) => `${model} ${name}`);
}

async function loadRealCrawls({ connection }: TestWarehouse): Promise<void> {
  const record = { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT' };
  await createTable(connection, 'raw.crawls', record, CRAWLS);
  const loads: object[] = [];
  const unitFields: object[] = [];
  for (const { id, project_id, folder } of CRAWLS) {
    for (const type of ['pages', 'links']) {
      const file = join(data, folder, `${type}.jsonl`);
      if (!existsSync(file)) continue;
      const unit = `crawl_${type}/${id}`;
      const fields = await fieldsOf(join(data, folder, `${type}.fields.json`));
      const columns = fields.map((field) => `${text(field.name)}: ${text(columnType(field))}`).join(', ');
      const select = `
        SELECT *, ${text(id)} AS _crawl_id, ${text(project_id)} AS _project_id
        FROM read_json(${text(file)}, format = 'newline_delimited', columns = {${columns}},
          timestampformat = '%Y/%m/%d %H:%M:%S %Z')`;
      const name = table('raw', `crawl_${type}`);
      await connection.run(`CREATE TABLE IF NOT EXISTS ${name} AS ${select} LIMIT 0`);
      for (const field of fields) {
        await connection.run(
          `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${table(field.name)} ${columnType(field)}`,
        );
      }
      await connection.run(`INSERT INTO ${name} BY NAME ${select}`);
      loads.push({ unit, dataset: `crawl_${type}`, source_kind: 'crawl', source_id: id, project_id });
      unitFields.push(...fields.map((field) => ({ unit, field: field.name })));
    }
  }
  const load = {
    unit: 'VARCHAR',
    dataset: 'VARCHAR',
    source_kind: 'VARCHAR',
    source_id: 'VARCHAR',
    project_id: 'VARCHAR',
  };
  const stamp = { run_id: 'VARCHAR', loaded_at: 'TIMESTAMP WITH TIME ZONE' };
  await createTable(connection, 'ops.loads', { ...load, ...stamp }, loads);
  await createTable(connection, 'ops.unit_fields', { unit: 'VARCHAR', field: 'VARCHAR' }, unitFields);
}

async function fieldsOf(path: string): Promise<Field[]> {
  return (JSON.parse(await readFile(path, 'utf8')) as { fields: Field[] }).fields;
}

async function rowsOf(folder: string): Promise<Map<unknown, Record<string, unknown>>> {
  const lines = (await readFile(join(data, folder, 'pages.jsonl'), 'utf8')).trim().split('\n');
  return new Map(
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).map((row) => [row.url, row]),
  );
}
