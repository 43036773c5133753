import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCrawl, wordsOfCrawl } from '../../../../src/app/console/actions/crawl-action.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { freePort } from '../../../support/free-port.ts';
import { openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import '../../../support/process-timeout.ts';

test('a crawl that cannot start keeps the form values and shows the reason, and leaves nothing behind', async () => {
  const settings = await loadSettings(await rawProjectFolder(), {});
  const { ask, post, signIn } = await openConsole(settings);
  const silent = `http://127.0.0.1:${await freePort()}/`;
  for (const [fields, message] of [
    [{ url: 'two words' }, 'URL: the address of a website is expected'],
    [{ url: 'example.com', max_urls: 'many' }, 'Maximum URLs: a whole number above 0 is expected'],
    [
      { url: 'example.com', speed: '10' },
      'URLs per second: more than 5 URLs per second needs a confirmation',
    ],
    [{ url: silent, max_urls: '7', speed: '10', own: 'on' }, `${silent}: the connection failed`],
  ] as const) {
    const answer = await post('/start', fields);
    const page = await answer.text();
    expect([answer.status, page], message).toEqual([400, expect.stringContaining(message)]);
    for (const [name, value] of Object.entries(fields))
      expect(page, name).toMatch(
        name === 'speed'
          ? new RegExp(`<option value="${value}" selected>`)
          : name === 'own'
            ? /name="own" checked/
            : new RegExp(`name="${name}" value="${value}"`),
      );
  }
  expect(existsSync(join(settings.state_dir, 'service'))).toBe(false);
  const reader = await signIn('reader', 'analyst');
  for (const path of ['/start', '/crawling/pause', '/crawling/resume', '/crawling/stop', '/connect'])
    expect((await post(path, { url: silent }, reader)).status, path).toBe(403);
  const audit = await (await ask('/audit.json')).json();
  expect(audit).toMatchObject({
    entries: [
      { command: `crawlhouse crawl --max-urls=7 --speed=10 --i-own-this-site -- ${silent}`, outcome: '3' },
    ],
    paging: { total: 1 },
  });
});

test('an address never becomes a flag of the crawl command', () => {
  const words = (url: string): readonly string[] =>
    wordsOfCrawl(readCrawl(new URLSearchParams({ url })), true);
  expect(words('example.com/a b')).toEqual(['crawl', '--public-only', '--', 'https://example.com/a b']);
  expect(words('--resume')).toEqual(['crawl', '--public-only', '--', 'https://--resume']);
  expect(wordsOfCrawl({ action: 'resume', finish: true }, false)).toEqual(['crawl', '--resume', '--finish']);
});
