import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';
import { pageWith } from '../support/crawl-site.ts';

/** A whole project as the program of commit d6ccd19a left it, with what that program answered. */
export const FORMER = join(import.meta.dirname, 'project.d6ccd19a.tar.zst');
/** The answers, within the project. */
export const ANSWERS = 'answers.json';

/** An address of this machine that nothing else listens on: the crawls of all programs are of one site. */
const [HOST, PORT] = ['127.37.41.5', 48_231];
export const ORIGIN = `http://${HOST}:${PORT}`;

/** What a former program and the present one are asked. */
export const QUERIES: Readonly<Record<string, string>> = {
  pages:
    'SELECT url, status_code, title, depth, is_indexable, nb_inlinks, redirect_location FROM mart.pages ORDER BY ALL',
  links: 'SELECT origin, target, follow FROM mart.links ORDER BY ALL',
  crawls: 'SELECT crawl_id, project_id, ended_at, is_latest FROM mart.crawls ORDER BY ALL',
  issues: `SELECT issue, url FROM mart.page_issues WHERE issue IN ('client_error', 'linked_redirect', 'duplicate_title') ORDER BY ALL`,
  hits: 'SELECT url, from_date, hits, search_bot_hits, unverified_bot_hits, visits FROM mart.page_hits ORDER BY ALL',
  demand: 'SELECT url, clicks, impressions, top_query FROM mart.page_demand ORDER BY ALL',
  counts: 'SELECT unit, reported, received, staged, rejected, loaded, queryable FROM ops.loads ORDER BY unit',
};

/** A site of five addresses; after its change one page has another title, and one is gone. */
export async function serveFormerSite(isChanged: boolean): Promise<Server> {
  const titled = (title: string, ...targets: string[]): string =>
    pageWith(...targets).replace('A page', title);
  const pages: Readonly<Record<string, string>> = {
    '/': titled('Tea', '/green', '/black', '/old', '/gone'),
    '/green': titled(isChanged ? 'Green tea, new harvest' : 'Green tea', '/', '/black'),
    ...(isChanged ? {} : { '/black': titled('Black tea', '/') }),
  };
  const server = createServer(({ url = '' }, response) => {
    const body = pages[url];
    const status = body !== undefined ? 200 : url === '/old' ? 301 : 404;
    const location = status === 301 ? { location: '/green' } : {};
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...location });
    response.end(body ?? '');
  });
  server.listen(PORT, HOST);
  await once(server, 'listening');
  return server;
}

/** An access log of one day, such as `24/Nov/2026`: Googlebot, who only says so, people, and a line that is cut off. */
export function formerLog(day: string): string {
  const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const line = (path: string, status: number, address: string, agent: string): string =>
    `${address} - - [${day}:08:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 99 "-" "${agent}"`;
  return [
    line('/', 200, '66.249.66.1', google),
    line('/green', 200, '66.249.66.1', google),
    line('/gone', 404, '66.249.66.1', google),
    line('/', 200, '203.0.113.5', google),
    line('/', 200, '203.0.113.9', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
    '66.249.66.1 - -',
    '',
  ].join('\n');
}

const SEARCHES = `date,page,query,clicks,impressions,position
2026-11-22,${ORIGIN}/,tea,3,40,2.1
2026-11-23,${ORIGIN}/green,green tea,2,30,3
2026-11-23,${ORIGIN}/gone,old tea,1,25,5.4
`;

/** `node test/formats/former-project.ts MAIN`: the project by a former program, the `main.js` of its `dist/`. */
async function make(program: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-former-'));
  const project = join(folder, 'tea');
  const site = await serveFormerSite(false);
  try {
    const run = async (...argv: string[]): Promise<string> => {
      const env = { PATH: process.env.PATH };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [program, ...argv, '--project-dir', project],
        { cwd: folder, env },
      );
      return stdout;
    };
    await promisify(execFile)(process.execPath, [program, 'init', project], { cwd: folder });
    await writeFile(join(project, 'access.log'), formerLog('24/Nov/2026'));
    await writeFile(join(project, 'search.csv'), SEARCHES);
    await run('crawl', `${ORIGIN}/`);
    await run('logs', 'add', join(project, 'access.log'), '--on-reject', 'quarantine');
    await run('demand', 'add', join(project, 'search.csv'));
    const answers: Record<string, unknown> = {};
    for (const [name, sql] of Object.entries(QUERIES))
      answers[name] = JSON.parse(await run('query', sql, '--format', 'json'));
    await writeFile(join(project, ANSWERS), `${JSON.stringify(answers, null, 1)}\n`);
    // What a next publication would make anew, and what only the former program's own machine knows.
    const left = ['spare.duckdb', 'spare.json', 'logs', 'query', 'spill'];
    for (const name of left) await rm(join(project, '.crawlhouse', name), { recursive: true, force: true });
    const tar = execFileSync('tar', ['-cf', '-', 'tea'], { cwd: folder, maxBuffer: 1e9 });
    const { ZSTD_c_compressionLevel: level, ZSTD_c_windowLog: window } = constants;
    await writeFile(FORMER, zstdCompressSync(tar, { params: { [level]: 19, [window]: 27 } }));
  } finally {
    site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await make(String(process.argv[2]));
