import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  NotFound,
  type Page,
  type PageRequest,
} from '../../../../src/app/console/page-parts/console-page.ts';
import { Lanes, type Readers } from '../../../../src/app/console/readers/readers.ts';
import { answerHtml, answerJson } from '../../../../src/app/console/server/answer-page.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { createLogger, silentLogger } from '../../../../src/core/logs/logger.ts';
import { html } from '../../../../src/core/text/html.ts';

test('a failing page shows the identifier under which its cause is logged, also as JSON', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  const readers = { logger, lanes: new Lanes() } as Readers;
  const page = {
    path: '/broken',
    schema: z.unknown(),
    read: async () => {
      throw new Error('the page failed', { cause: new Error('the cause of it') });
    },
    draw: () => ({ title: '', body: html`` }),
  } as unknown as Page<unknown>;
  const request = { session: { csrf: 'b' } } as PageRequest;
  const shell = { path: '/broken', subject: 'a', csrf: 'b', canAct: false };
  await using app = Fastify();
  const { signal } = new AbortController();
  app.get('/broken', (_request, reply) => answerHtml(page, { request, shell }, readers, reply, signal));
  app.get('/broken.json', (_request, reply) => answerJson(page, request, readers, reply, signal));
  for (const url of ['/broken', '/broken.json']) {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(500);
    const [, id] = /error_id ([0-9a-f]{8})/.exec(answer.body) ?? [];
    expect(lines.pop()).toMatch(new RegExp(`error_id=${id} .*path=/broken .*the cause of it`));
  }
});

test('a slow page sends its title and heading first, and an unknown page returns 404', async () => {
  const known = { project_id: 'p1', project_name: 'Shop', start_url: null };
  const page = {
    path: '/projects/:project_id/issues',
    schema: z.unknown(),
    // Longer than a page waits for what it shows.
    read: () => sleep(1700),
    draw: () => ({ title: 'late', body: html`<h1>Shop</h1><p>all of it</p>`, location: '/projects/p1' }),
  } as unknown as Page<unknown>;
  const shell = { path: page.path, subject: 'a', csrf: 'b', canAct: false };
  await using app = Fastify();
  const { signal } = new AbortController();
  for (const [url, rows] of [
    ['/there', [known]],
    ['/none', []],
  ] as const) {
    const readers = { lanes: new Lanes(), rowsOnce: async () => rows } as unknown as Readers;
    const request = {
      path: { project_id: 'p1' },
      query: new URLSearchParams(),
      session: { csrf: 'b' },
    } as unknown as PageRequest;
    app.get(url, (_request, reply) => answerHtml(page, { request, shell }, readers, reply, signal));
  }
  const [there, none] = await Promise.all([app.inject({ url: '/there' }), app.inject({ url: '/none' })]);
  expect([there.statusCode, none.statusCode]).toEqual([200, 404]);
  expect(there.body).toContain('<title>Issues of Shop · crawlhouse</title>');
  const [early = '', late = ''] = there.body.split('<div class="late">');
  expect(early).toContain('<h1>Shop</h1>');
  expect(early).toContain('Loading the data of this page');
  expect(late).toContain('all of it');
  expect(late).toContain('<meta http-equiv="refresh" content="0; url=/projects/p1">');
  expect(none.body).toContain('There is no project p1.');
});

test('the status of an answer says why a page could not be read', async () => {
  const { signal } = new AbortController();
  await using app = Fastify();
  const readers = { logger: silentLogger, lanes: new Lanes() } as Readers;
  const request = { session: { csrf: 'b' } } as PageRequest;
  const shell = { path: '/', subject: 'a', csrf: 'b', canAct: false };
  const refused: [Error, number, string][] = [
    [new NotFound('There is no run x.'), 404, 'Not found'],
    [new CrawlhouseError('nothing_published', 'none'), 404, 'Nothing is published yet'],
    [new CrawlhouseError('forbidden', 'no'), 403, 'This page could not be read'],
    [new CrawlhouseError('usage', 'no'), 400, 'This page could not be read'],
    [new CrawlhouseError('connection', 'no'), 500, 'This page could not be read'],
  ];
  for (const [index, [error]] of refused.entries()) {
    const page = {
      ...{ path: `/${index}`, schema: z.unknown(), draw: () => ({ title: '', body: html`` }) },
      read: () => Promise.reject(error),
    } as unknown as Page<unknown>;
    app.get(`/${index}`, (_request, reply) => answerHtml(page, { request, shell }, readers, reply, signal));
    app.get(`/${index}.json`, (_request, reply) => answerJson(page, request, readers, reply, signal));
  }
  for (const [index, [error, status, title]] of refused.entries()) {
    const [shown, json] = [
      await app.inject({ url: `/${index}` }),
      await app.inject({ url: `/${index}.json` }),
    ];
    expect([shown.statusCode, json.statusCode], title).toEqual([status, status]);
    expect(shown.body).toContain(`<h1>${title}</h1>`);
    expect(json.json(), title).toMatchObject({ error: { message: error.message } });
  }
});

test('a page that leads on is a redirect, and a page of one audience is refused to others', async () => {
  const { signal } = new AbortController();
  await using app = Fastify();
  const readers = { logger: silentLogger, lanes: new Lanes() } as Readers;
  const shell = { path: '/', subject: 'a', csrf: 'b', canAct: false };
  const page = (more: object) =>
    ({
      ...{ path: '/p', schema: z.unknown(), read: async () => ({ n: 1 }) },
      draw: () => ({ title: 'Pages', body: html`<p>all of it</p>` }),
      ...more,
    }) as unknown as Page<unknown>;
  const request = { session: { csrf: 'b', role: 'viewer' }, canAct: false } as PageRequest;
  for (const [url, shown] of [
    ['/led', page({ draw: () => ({ title: '', body: html``, location: '/runs' }) })],
    ['/all', page({})],
  ] as const)
    app.get(url, (_request, reply) => answerHtml(shown, { request, shell }, readers, reply, signal));
  const led = await app.inject({ url: '/led' });
  expect([led.statusCode, led.headers.location]).toEqual([302, '/runs']);
  const all = await app.inject({ url: '/all' });
  expect([all.statusCode, all.body]).toEqual([200, expect.stringContaining('<p>all of it</p>')]);
  expect(all.body).toContain('<title>Pages · crawlhouse</title>');
});

test('a slow page is headed by what its address determines', async () => {
  const { signal } = new AbortController();
  await using app = Fastify();
  const questions = async () => [{ name: 'q1', title: 'Pages by status' }];
  const project = { project_id: 'p1', project_name: null, start_url: null };
  const asked = [
    ['/', {}, '', 'Overview'],
    ['/runs/:run_id', {}, '', 'Runs'],
    ['/start', {}, '', 'Crawl a website'],
    ['/ask', {}, 'question=q1', 'Pages by status'],
    ['/ask', {}, 'question=q2', 'Ask'],
    ['/projects/:project_id', { project_id: 'p1' }, '', 'p1'],
    ['/projects/:project_id/url', { project_id: 'p1' }, 'url=https://shop.example/', 'https://shop.example/'],
  ] as const;
  const answers = asked.map(async ([path, given, query, title], index) => {
    const page = {
      ...{ path, schema: z.unknown(), read: () => sleep(1700) },
      draw: () => ({ title: 'late', body: html`` }),
    } as unknown as Page<unknown>;
    const readers = { lanes: new Lanes(), rowsOnce: async () => [project], questions } as unknown as Readers;
    const request = {
      ...{ path: given, query: new URLSearchParams(query), session: { csrf: 'b' } },
    } as unknown as PageRequest;
    const shell = { path, subject: 'a', csrf: 'b', canAct: false };
    app.get(`/${index}`, (_request, reply) => answerHtml(page, { request, shell }, readers, reply, signal));
    return [title, `/${index}`] as const;
  });
  const urls = await Promise.all(answers);
  await Promise.all(
    urls.map(async ([title, url]) => {
      const { body } = await app.inject({ url });
      expect(body, url).toContain(`<title>${title} · crawlhouse</title>`);
      expect(body, url).not.toContain('http-equiv="refresh"');
    }),
  );
});
