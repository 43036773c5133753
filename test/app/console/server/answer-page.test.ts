import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Page, PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { Lanes, type Readers } from '../../../../src/app/console/readers/readers.ts';
import { answerHtml, answerJson } from '../../../../src/app/console/server/answer-page.ts';
import { createLogger } from '../../../../src/core/logs/logger.ts';
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
