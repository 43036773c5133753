import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LiveCrawl } from '../../../../../src/app/operations/status/live-crawl.ts';
import { loadSettings } from '../../../../../src/app/settings/load-settings.ts';
import { pageWith, serveSite } from '../../../../support/crawl-site.ts';
import { openConsole } from '../../../../support/open-console.ts';
import { rawProjectFolder } from '../../../../support/project.ts';
import { until } from '../../../../support/until.ts';

interface Crawling {
  readonly crawl: LiveCrawl | null;
  readonly is_own: boolean;
  readonly problem: string | null;
}

/** More pages than a test waits for, each of which takes a moment. */
const PAGES = 3000;
const SLOW_MS = 500;

test('a crawl can be watched, paused, resumed and stopped, and its pages are loaded', async () => {
  const site = await serveSite({
    '*': (request, response) => {
      const isPage = /^\/\d*$/.test(request.url ?? '');
      const targets = request.url === '/' ? Array.from({ length: PAGES }, (_, n) => `/${n}`) : [];
      void sleep(SLOW_MS).then(() => {
        response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
        response.end(isPage ? pageWith(...targets) : '');
      });
    },
  });
  const { ask, post } = await openConsole(await loadSettings(await rawProjectFolder(), {}));
  const read = async () => (await (await ask('/crawling.json')).json()) as Crawling;
  const reaches = (wanted: (one: Crawling) => boolean): Promise<Crawling> =>
    until(async () => {
      // A person may send 600 requests a minute.
      await sleep(300);
      const one = await read();
      return wanted(one) ? one : undefined;
    });
  const sent = async (path: string, fields = {}): Promise<void> => {
    const answer = await post(path, fields);
    expect([answer.status, answer.headers.get('location')], await answer.text()).toEqual([303, '/crawling']);
  };
  const page = async (path = '/crawling'): Promise<string> => (await ask(path)).text();

  expect(await page()).toContain('No crawl was started here.');
  await sent('/start', { url: site.origin, max_urls: '2900' });
  const running = await reaches(({ crawl }) => (crawl?.progress?.pages ?? 0) > 3);
  expect(running).toMatchObject({ is_own: true, crawl: { state: 'running', phase: 'fetch' } });
  expect(await page()).toContain('data-pending');
  expect(await page()).toContain('>Pause</button>');
  expect(await page('/')).toContain(`A crawl of ${site.origin}/ is running.`);
  const second = await post('/start', { url: site.origin });
  expect([second.status, await second.text()]).toEqual([409, expect.stringContaining('is in use by')]);

  await sent('/crawling/pause');
  const paused = await read();
  expect(paused).toMatchObject({ is_own: false, problem: null, crawl: { state: 'paused' } });
  expect(await page()).toContain('>Resume</button>');
  expect(await page('/')).toContain(`A crawl of ${site.origin}/ is paused.`);

  await sent('/crawling/resume');
  const before = paused.crawl?.progress?.pages ?? 0;
  await reaches(({ crawl }) => crawl?.state === 'running' && (crawl.progress?.pages ?? 0) > before + 3);
  await sent('/crawling/stop');
  const { crawl } = await reaches((one) => one.crawl?.state === 'ended');
  expect(crawl).toMatchObject({ problem: null, phase: 'load' });
  const ended = await page();
  expect(ended).toContain(`href="/projects/${crawl?.project_id}/report?crawl=${crawl?.crawl_id}"`);
  expect(ended).not.toContain('data-pending');
  expect(new Set(site.hits).size).toBeLessThan(PAGES / 2);
  const { entries } = (await (await ask('/audit.json')).json()) as { entries: { command: string }[] };
  expect(entries.map(({ command }) => command).toReversed()).toEqual([
    `crawlhouse crawl --max-urls=2900 -- ${site.origin}`,
    `crawlhouse crawl -- ${site.origin}`,
    'pause the crawl',
    'crawlhouse crawl --resume',
    'crawlhouse crawl --resume --finish',
  ]);
});
