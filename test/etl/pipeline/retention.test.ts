import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isExplicit } from '../../../src/etl/pipeline/retention.ts';
import { published, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection } from '../../support/temporary.ts';

const EVERYTHING = {
  projects: 'all',
  crawls: null,
  from: Number.NEGATIVE_INFINITY,
  to: Number.POSITIVE_INFINITY,
} as const;

test('a request is explicit if it reloads or names crawls', () => {
  expect(isExplicit({ reload: false, selection: EVERYTHING })).toBe(false);
  expect(isExplicit({ reload: true, selection: EVERYTHING })).toBe(true);
  expect(isExplicit({ reload: false, selection: { ...EVERYTHING, crawls: ['c'] } })).toBe(true);
});

test('crawls beyond keep are not loaded, are removed when keep shrinks, and stay on explicit request', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=3,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const connection = await temporaryConnection(folder);
  const options = { pipelines: ['crawl_pages'] } as const;
  const crawls = async (): Promise<number> => {
    const [row] = await published(
      connection,
      folder,
      'SELECT count(DISTINCT _crawl_id)::INTEGER AS n FROM raw.crawl_pages',
    );
    return Number(row?.n);
  };
  const file = join(folder, 'pipelines', 'crawl_pages.yaml');
  const plain = await readFile(file, 'utf8');
  const keep = (n: number): Promise<void> => writeFile(file, `${plain}\nkeep: { crawls: ${n} }\n`);
  await keep(2);
  await runProject(folder, sandbox, options);
  expect(await crawls()).toBe(2);
  await keep(1);
  await runProject(folder, sandbox, options);
  expect(await crawls()).toBe(1);
  await runProject(folder, sandbox, { ...options, command: 'backfill', reload: true });
  expect(await crawls()).toBe(3);
  await runProject(folder, sandbox, options);
  expect(await crawls()).toBe(3);
});
