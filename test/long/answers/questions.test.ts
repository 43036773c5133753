import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../src/etl/project/sql/questions/questions.ts';
import { ANSWERS } from '../../questions/answers/answers.ts';
import { factsOf } from '../../questions/answers/facts.ts';
import { compareQuestion } from '../../questions/compare-question.ts';
import { exported, imported, readService } from '../../questions/service-data.ts';
import { shopFolders } from '../../questions/shop.ts';
import type { Row, Sites } from '../../questions/sites/sites.ts';
import { type Service, service } from '../../service/support.ts';
import { projectFolder, runProject, SHARED_DATA } from '../../support/project.ts';

/** Runs the pipeline on a service and holds every question against its second answer; gives how many rows each has. */
async function compare(
  it: Service,
  sites: Sites,
  { pipelines, questions = /./ }: { pipelines?: readonly string[]; questions?: RegExp } = {},
): Promise<ReadonlyMap<string, number>> {
  const folder = await projectFolder();
  expect((await runProject(folder, it.sandbox, pipelines ? { pipelines } : {})).exitCode).toBe(0);
  await using database = await Database.open({
    memoryLimit: '400MB',
    threads: 2,
    tempDirectory: join(folder, 'tmp'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS published (READ_ONLY)`);
  await connection.run('USE published');
  const facts = factsOf(sites);
  const rows = new Map<string, number>();
  for (const question of await loadQuestions([sqlFolder(join(folder, 'sql'))])) {
    if (!questions.test(question.name)) continue;
    // The adversarial sites are asked with parameters.
    const differences = await compareQuestion(connection, question, facts, [{}]);
    // The first rows that differ are enough to look at.
    const shown = differences.map(({ missing, surplus, ...one }) => ({
      ...one,
      missing: missing.slice(0, 2),
      surplus: surplus.slice(0, 2),
    }));
    expect.soft(shown, question.name).toEqual([]);
    rows.set(question.name, ANSWERS[question.name]?.rows(facts, { numbers: {} }).length ?? 0);
  }
  return rows;
}

test('every question matches plain code on generated crawls, logs and rankings', async () => {
  const it = await service({
    importDirs: await shopFolders(),
    generate: [
      'projects=2,crawls=3,pages=300,links=4000,columns=120,clusters=20,structured_data=200,log_days=6,events=3000,ranking_days=6,seed=11',
    ],
  });
  const rows = await compare(it, await readService(it, exported(it)));
  const empty = [...rows].filter(([, count]) => count === 0).map(([name]) => name);
  expect(empty).toEqual([]);
});

test('bots are counted from the daily counts of the service if lines are not loaded', async () => {
  const it = await service({
    generate: ['projects=2,crawls=2,pages=200,columns=60,log_days=5,events=2000,seed=12'],
  });
  const { projects, crawls } = await readService(it, exported(it));
  const counted = projects.map(({ logEvents: _, ...one }) => one);
  const rows = await compare(
    it,
    { crawls, projects: counted },
    { pipelines: ['projects', 'crawls', 'crawl_pages', 'log_pages_days'], questions: /^q1[67]/ },
  );
  expect([...rows.values()].every((count) => count > 0)).toBe(true);
});

const FOLDERS = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site', 'semicomplete-logs'];
const real = FOLDERS.map((name) => join(SHARED_DATA, name));

test.skipIf(!real.every((path) => existsSync(path)))(
  'every question matches plain code on the files of real sites (skipped without ../shared/data)',
  async () => {
    const it = await service({ importDirs: real });
    const folderOf = (crawl: Row): string =>
      real.find((path) => path.endsWith(new Date(Number(crawl.ended_at)).toISOString().slice(0, 10))) ??
      join(SHARED_DATA, 'typo3-site');
    const rows = await compare(it, await readService(it, imported(folderOf)));
    expect(Object.fromEntries([...rows].filter(([, count]) => count > 0))).toMatchObject({
      q04_indexability_funnel: 3,
      q14_canonicals_to_bad_targets: 6,
    });
  },
);
