import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../../src/client/endpoints.ts';
import { openApiDocument } from '../../../../src/client/openapi/openapi.ts';
import { sharedService } from '../../support.ts';
import { unescaped } from './unescaped.ts';
import '../../../support/process-timeout.ts';

const it = await sharedService({});

test('the OpenAPI document is served with the requested address', async () => {
  const answer = await it.ask('/openapi.json', { token: null });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).toBe(JSON.stringify(openApiDocument(it.sandbox.baseUrl)));
});

test('the page at / lists every operation and loads nothing external', async () => {
  const page = await it.ask('/', { token: null });
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  for (const [id, { path }] of Object.entries(ENDPOINTS)) {
    expect(page.text).toContain(id);
    expect(page.text.replaceAll('<wbr>', '')).toContain(`<code class="path">${path}</code>`);
  }
  expect(page.text).not.toMatch(/\b(src|href)="(https?:)?\/\//);
  expect(page.text).not.toContain(it.sandbox.accessToken);
  const anchors = [...page.text.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
  expect(anchors.length).toBeGreaterThan(60);
  for (const anchor of new Set(anchors)) expect(page.text).toContain(`id="${anchor}"`);
});

test('an address from the client is escaped', async () => {
  const page = await it.ask('/', { token: null, headers: { host: '"><script>alert(1)</script>' } });
  expect(page.text).not.toContain('<script>alert');
});

test('a curl command uses a variable for values missing from the sandbox', async () => {
  const page = await it.ask('/', { token: null });
  expect(unescaped(page.text)).toContain('/api/v2/crawls/$CRAWL_ID"');
});
