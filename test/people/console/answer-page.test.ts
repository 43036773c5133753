import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { html } from '../../../src/core/text/html.ts';
import { Lanes, type Readers } from '../../../src/people/console/desk/desk.ts';
import type { Page, PageRequest } from '../../../src/people/console/pages/page.ts';
import { answerHtml, answerJson } from '../../../src/people/console/server/answer-page.ts';

test('a page that fails shows the identifier under which its cause is logged, as does its JSON', async () => {
  const lines: string[] = [];
  const logger = createLogger('error', (line) => lines.push(line));
  const desk = { logger, lanes: new Lanes() } as Readers;
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
  app.get('/broken', (_request, reply) => answerHtml(page, { request, shell }, desk, reply, signal));
  app.get('/broken.json', (_request, reply) => answerJson(page, request, desk, reply, signal));
  for (const url of ['/broken', '/broken.json']) {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(500);
    const [, id] = /error_id ([0-9a-f]{8})/.exec(answer.body) ?? [];
    expect(lines.pop()).toMatch(new RegExp(`error_id=${id} .*path=/broken .*the cause of it`));
  }
});
