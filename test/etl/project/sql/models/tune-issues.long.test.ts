import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ident } from '../../../../../src/core/duckdb/duckdb.ts';
import { IssueSettings } from '../../../../../src/etl/project/settings/issue-settings.ts';
import { loadModels, modelsVersion } from '../../../../../src/etl/project/sql/models/load-models.ts';
import type { Model } from '../../../../../src/etl/project/sql/models/model.ts';
import { sqlFolders } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';
import { createPages, pageColumns } from './issue-cases.ts';

let projectDir: string;
let warehouse: TestWarehouse;
beforeAll(async () => {
  projectDir = await mkdtemp(join(tmpdir(), 'crawlhouse-issues-'));
  warehouse = await openWarehouse();
  const plan = await planModels({ connection: warehouse.connection, models: await modelsOf('{}') });
  const { connection } = warehouse;
  await connection.run('CREATE SCHEMA IF NOT EXISTS mart');
  // What other issues read is empty.
  for (const { model, outputs } of plan) {
    if (model.name === 'mart.pages') continue;
    const columns = [...outputs].map(([name, type]) => `${ident(name)} ${type}`);
    await connection.run(`CREATE TABLE ${model.name} (${columns.join(', ')})`);
  }
  await connection.run(
    "INSERT INTO mart.projects (project_id, project_name) VALUES ('p1', 'Shop'), ('p2', 'Blog')",
  );
  const named = plan.find(({ model }) => model.name === 'mart.issues');
  await connection.run(`INSERT INTO mart.issues ${named?.sql}`);
  await connection.run(
    "CREATE OR REPLACE TABLE ops.loads AS SELECT unnest(['p1', 'p2', 'p2', 'p3', NULL]) AS project_id",
  );
  await connection.run(
    `INSERT INTO mart.page_groups (crawl_id, project_id, url, segmentation, segment)
     SELECT 'c-' || project_id, project_id, '/250', 'kinds', 'shelf' FROM (VALUES ('p1'), ('p2')) AS t(project_id)`,
  );
  await createPages(connection, pageColumns(plan), [
    ...['p1', 'p2', 'p3', null].flatMap((project_id) =>
      [90, 150, 250, 350].map((word_count) => ({
        crawl_id: `c-${project_id}`,
        project_id,
        url: `/${word_count}`,
        is_indexable: true,
        word_count,
        num_img: 0,
        num_h2: 1,
        status_code: 200,
        load_time: 1200,
        depth: 5,
        url_first_path: word_count < 200 ? '/short/' : '/long/',
      })),
    ),
  ]);
});
afterAll(async () => {
  await warehouse[Symbol.asyncDispose]();
  await rm(projectDir, { recursive: true });
});

/** The models that ship, by what crawlhouse.yaml says of issues. */
async function modelsOf(yaml: string): Promise<Model[]> {
  await writeFile(join(projectDir, 'crawlhouse.yaml'), `issues:\n${yaml.replaceAll(/^/gm, '  ')}\n`);
  const issues = IssueSettings.parse(parse(yaml));
  return await loadModels(sqlFolders({ projectDir, shipped_models: 'all', issues }));
}

const sqlOf = async (name: string, yaml: string): Promise<string> =>
  (await modelsOf(yaml)).find((model) => model.name === name)?.sql ?? '';

/** The pages that have an issue, by project. */
async function pagesWith(issue: string, yaml: string): Promise<Record<string, string>> {
  const rows = await warehouse.connection.jsonRows(
    `SELECT coalesce(project_id, 'none') AS project, string_agg(url, ' ' ORDER BY length(url), url) AS urls
    FROM (${await sqlOf('mart.page_issues', yaml)}) WHERE issue = '${issue}' GROUP BY project_id`,
  );
  return Object.fromEntries(rows.map(({ project, urls }) => [String(project), String(urls)]));
}

describe('settings of issues', () => {
  test('without settings, each issue has the thresholds of its file', async () => {
    const urls = '/90 /150 /250';
    expect(await pagesWith('thin', '{}')).toEqual({ p1: urls, p2: urls, p3: urls, none: urls });
  });

  test('a threshold applies to all projects, or to one by name or identifier, without extra passes', async () => {
    const yaml = 'thin: {words: 200}\nprojects:\n  Shop: {thin: {words: 100}}\n  p3: {thin: {words: 300.5}}';
    expect(await pagesWith('thin', yaml)).toEqual({
      p1: '/90',
      p2: '/90 /150',
      p3: '/90 /150 /250',
      none: '/90 /150',
    });
    const passes = async (issues: string): Promise<number> =>
      (await sqlOf('mart.page_issues', issues)).split('UNNEST(page.findings)').length;
    expect(await passes(yaml)).toBe(await passes('{}'));
  });

  test('an issue can be off for all projects, for one, or for all but one', async () => {
    const slow = '/90 /150 /250 /350';
    expect(await pagesWith('slow', 'slow: false')).toEqual({});
    expect(await pagesWith('slow', 'projects: {Blog: {slow: false}}')).toEqual({
      p1: slow,
      p3: slow,
      none: slow,
    });
    expect(await pagesWith('slow', 'slow: false\nprojects: {Blog: {slow: true}}')).toEqual({ p2: slow });
    // Whoever sets a threshold wants the issue.
    expect(await pagesWith('slow', 'slow: false\nprojects: {Blog: {slow: {milliseconds: 9}}}')).toEqual({
      p2: slow,
    });
  });

  test('an issue that is off everywhere is not listed', async () => {
    const listed = async (yaml: string): Promise<number> => {
      const sql = await sqlOf('mart.issues', yaml);
      return (await warehouse.connection.jsonRows(`SELECT * FROM (${sql}) WHERE issue = 'slow'`)).length;
    };
    expect(await listed('slow: false')).toBe(0);
    expect(await listed('slow: false\nprojects: {Blog: {slow: true}}')).toBe(1);
  });

  test('severity, weight and definition come from the project', async () => {
    const yaml =
      'slow: {severity: high}\nprojects: {Shop: {slow: {milliseconds: 2500}, thin: false}, p2: {slow: {severity: low}}}';
    const rows = await warehouse.connection.jsonRows(
      `SELECT project_id, issue, severity, weight, definition FROM (${await sqlOf('mart.project_issues', yaml)}) WHERE issue IN ('slow', 'thin') ORDER BY project_id, issue`,
    );
    const slow = (numbers: string): string =>
      `The page returns 200, is HTML (is_resource is not true, and content_kind is html or unknown), and has a load_time above ${numbers} ms.`;
    const thin = {
      issue: 'thin',
      severity: 'low',
      weight: 0.3,
      definition:
        'The page is indexable and has fewer than 300 words (word_count, including menus and footer).',
    };
    expect(rows).toEqual([
      { project_id: 'p1', issue: 'slow', severity: 'high', weight: 1, definition: slow('2,500') },
      { project_id: 'p2', issue: 'slow', severity: 'low', weight: 0.3, definition: slow('1,000') },
      { project_id: 'p2', ...thin },
      { project_id: 'p3', issue: 'slow', severity: 'high', weight: 1, definition: slow('1,000') },
      { project_id: 'p3', ...thin },
    ]);
  });

  test('a threshold applies to a segment, in all projects or one, and the first match counts', async () => {
    const yaml = [
      'thin: {words: 200}',
      'segments:\n  shelf: {thin: {words: 300}}\n  /long/: {thin: {words: 400}}',
      'projects:\n  Shop:\n    thin: {words: 100}\n    segments: {/short/: {thin: {words: 160}}, /long/: {thin: false}}',
      '  p3: {segments: {nowhere: {thin: false}}}',
    ].join('\n');
    expect(await pagesWith('thin', yaml)).toEqual({
      p1: '/90 /150',
      p2: '/90 /150 /250 /350',
      p3: '/90 /150 /250 /350',
      none: '/90 /150 /250 /350',
    });
    const definitions = await warehouse.connection.jsonRows(
      `SELECT project_id, definition FROM (${await sqlOf('mart.project_issues', yaml)}) WHERE issue = 'thin' ORDER BY project_id`,
    );
    const all = ' In shelf: 300 words. In /long/: 400 words.';
    const thin = (words: number): string =>
      `The page is indexable and has fewer than ${words} words (word_count, including menus and footer).`;
    expect(definitions.map(({ definition }) => definition)).toEqual([
      `${thin(100)} In /short/: 160 words. In /long/: not looked for.${all}`,
      `${thin(200)}${all}`,
      `${thin(200)} In nowhere: not looked for.${all}`,
    ]);
  });

  test('an issue that is on only in a segment is listed, also one with other sources than pages', async () => {
    expect(await pagesWith('slow', 'slow: false\nsegments: {/short/: {slow: true}}')).toEqual(
      Object.fromEntries(['p1', 'p2', 'p3', 'none'].map((project) => [project, '/90 /150'])),
    );
    const sql = await sqlOf(
      'mart.project_issues',
      'slow: false\nprojects: {Shop: {segments: {/short/: {slow: true}}}}',
    );
    expect(
      await warehouse.connection.jsonRows(`SELECT project_id FROM (${sql}) WHERE issue = 'slow'`),
    ).toEqual([{ project_id: 'p1' }]);
    const yaml = 'segments: {/short/: {deep_with_clicks: {depth: 6}}}';
    expect(
      [...(await sqlOf('mart.page_issues', yaml)).matchAll(/pages\.depth > (\d+)/g)].map(
        ([, depth]) => depth,
      ),
    ).toEqual(['3', '6']);
  });

  test('an issue with other sources than pages is evaluated once per set of thresholds', async () => {
    const selects = async (yaml: string): Promise<string[]> =>
      [...(await sqlOf('mart.page_issues', yaml)).matchAll(/pages\.depth > (\d+)/g)].map(
        ([, depth = '']) => depth,
      );
    expect(await selects('{}')).toEqual(['3']);
    expect(await selects('projects: {Shop: {deep_with_clicks: {depth: 6}}, p2: {slow: false}}')).toEqual([
      '3',
      '6',
    ]);
    expect(
      await selects('deep_with_clicks: false\nprojects: {Shop: {deep_with_clicks: {depth: 6}}}'),
    ).toEqual(['6']);
  });

  test('every project can have its own thresholds for every issue, in portable SQL', async () => {
    const yaml =
      'thin: {words: 200}\nprojects: {Shop: {deep_with_clicks: {depth: 6}, page_two: false, thin: false}, p2: {no_images: false, segments: {/a/: {thin: false}}}}\nsegments: {shelf: {slow: {milliseconds: 9}, deep_with_clicks: false}}';
    await using empty = await openWarehouse();
    const plan = await planModels({ connection: empty.connection, models: await modelsOf(yaml) });
    const found = plan.find(({ model }) => model.name === 'mart.page_issues');
    const place = { file: 'page_issues.sql', line: 1 };
    expect(await findNonPortable(empty.connection, found?.sql ?? '', place)).toEqual([]);
  });

  test('a changed setting changes the version of the models', async () => {
    const texts = [
      '{}',
      'thin: {words: 200}',
      'thin: {severity: high}',
      'thin: false',
      'projects: {Shop: {thin: {words: 200}}}',
      'segments: {/a/: {thin: {words: 200}}}',
    ];
    const versions = new Set<string>();
    for (const yaml of texts) versions.add(modelsVersion(await modelsOf(yaml)));
    expect(versions.size).toBe(texts.length);
  });
});

describe('an error in the settings of issues names its line', () => {
  test.each([
    [
      'an unknown issue',
      'slow: false\nthn: false',
      'crawlhouse.yaml:3: issues.thn: there is no issue thn',
      'did you mean thin? ',
    ],
    [
      'an unknown threshold',
      'thin:\n  word: 200',
      'crawlhouse.yaml:3: issues.thin.word: thin has no threshold word',
      'did you mean words? allowed keys: severity, words',
    ],
    [
      'one of a project',
      'projects:\n  Shop:\n    thin: {words: 1}\n    client_error: {words: 2}',
      'crawlhouse.yaml:5: issues.projects.Shop.client_error.words: client_error has no threshold words',
      'allowed keys: severity',
    ],
    [
      'a severity of a segment',
      'segments:\n  /a/:\n    thin: {severity: high}',
      'crawlhouse.yaml:4: issues.segments./a/.thin.severity: thin has no severity in a segment',
      'allowed keys: words',
    ],
    [
      'an unknown issue in a segment of a project',
      'projects:\n  Shop:\n    segments:\n      /a/: {thn: false}',
      'crawlhouse.yaml:5: issues.projects.Shop.segments./a/.thn: there is no issue thn',
      'did you mean thin? ',
    ],
  ])('%s', async (_, yaml, message, hint) => {
    await expect(modelsOf(yaml)).rejects.toMatchObject({
      code: 'bad_settings',
      message,
      hint: expect.stringContaining(hint),
    });
  });
});
