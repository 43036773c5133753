import { join } from 'node:path';
import { expect } from 'vitest';
import { capture } from '../app/cli/capture.ts';
import { type Site, serveSite } from '../support/crawl-site.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary.ts';
import type { Routes, Template } from './site.ts';

interface HealthyCrawl {
  readonly site: Site;
  readonly pages: number;
  /** One line for each finding of medium or high severity: the issue, the path and why. */
  readonly faults: readonly string[];
}

/** Crawls a site of a template by the program, and says what it finds wrong with it. */
export async function crawlHealthy(template: Template, flags: readonly string[] = []): Promise<HealthyCrawl> {
  const routes: Routes = {};
  const site = await serveSite(routes);
  Object.assign(routes, template(site.origin, seededRandom(testSeed())));
  const folder = join(await temporaryFolder(), 'site');
  const done = async (...argv: string[]): Promise<string> => {
    const { code, stdout, stderr } = await capture(...argv, '--project-dir', folder);
    expect([argv[0], code, stderr]).toEqual([argv[0], 0, expect.any(String)]);
    return stdout;
  };
  expect(await capture('init', folder)).toMatchObject({ code: 0 });

  await done('crawl', `${site.origin}/`, '--i-own-this-site', '--speed', '200', ...flags);
  const rows = async (sql: string): Promise<Record<string, unknown>[]> =>
    JSON.parse(await done('query', sql, '--json'));
  const found = await rows(
    `SELECT issue, url, why FROM mart.page_issues
     WHERE issue IN (SELECT issue FROM mart.issues WHERE severity IN ('medium', 'high')) ORDER BY issue, url`,
  );
  const [count] = await rows('SELECT count(*) AS pages FROM mart.pages WHERE status_code = 200');
  return {
    site,
    pages: Number(count?.pages),
    faults: found.map(({ issue, url, why }) => `${issue}: ${String(url).replace(site.origin, '')}: ${why}`),
  };
}
