import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder, published, runProject, SHARED_DATA, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

test.skipIf(!existsSync(SHARED_DATA))(
  'real crawls match independently computed counts (skipped without ../shared/data)',
  async () => {
    const names = ['gov-sites-2025-01-09', 'gov-sites-2025-01-16', 'typo3-site'];
    const sandbox = await sandboxFor({ importDirs: names.map((name) => join(SHARED_DATA, name)) });
    const folder = await projectFolder();
    expect((await runProject(folder, sandbox)).exitCode).toBe(0);
    const connection = await temporaryConnection(await temporaryFolder());
    const count = async (sql: string): Promise<unknown> =>
      (await published(connection, folder, `SELECT ${sql} AS n`))[0]?.n;
    expect(
      await published(
        connection,
        folder,
        'SELECT count(*) AS n, count(*) FILTER (fetched) AS f FROM raw.crawl_pages GROUP BY _crawl_id ORDER BY n',
      ),
    ).toEqual([
      { n: '49', f: '49' },
      { n: '977', f: '608' },
      { n: '1036', f: '676' },
    ]);
    expect(await count('(SELECT count(*) FROM raw.crawl_links)')).toBe('2691');
    expect(await count('(SELECT count(DISTINCT target) FROM raw.crawl_links)')).toBe('58');
    expect(await count('(SELECT count(*) FROM raw.crawl_links WHERE intern)')).toBe('2275');
    // Of 196 URLs of the earlier crawl that the later one lacks. What the later one alone has may have been there: the
    // earlier one was refused by more than one page of a hundred.
    expect(await count("(SELECT count(*) FROM mart.page_changes WHERE change = 'added')")).toBe('0');
    expect(await count("(SELECT count(*) FROM mart.page_changes WHERE change = 'missing')")).toBe('158');
    expect(await count("(SELECT count(*) FROM mart.page_changes WHERE change = 'moved')")).toBe('9');
    expect(await count("(SELECT count(*) FROM mart.page_changes WHERE change = 'removed')")).toBe('3');
  },
);
