import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/api/endpoints.ts';
import { openApiDocument } from '../../../src/api/openapi.ts';
import { Html, html } from '../../../src/sandbox/pages/html.ts';
import { sharedService } from '../support.ts';

const it = await sharedService({});

test('what is put into HTML is escaped, HTML is not', () => {
  const piece = html`<b>${`<&>"'`}</b>`;
  expect(piece.text).toBe('<b>&lt;&amp;&gt;&quot;&#39;</b>');
  expect(html`${[piece, piece]}${undefined}${1}`.text).toBe(`${piece.text}${piece.text}1`);
  expect(html`${new Html('<i>')}`.text).toBe('<i>');
});

test('the OpenAPI document is served, with the address that was asked', async () => {
  const answer = await it.ask('/openapi.json', { token: null });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.text).toBe(JSON.stringify(openApiDocument(it.sandbox.baseUrl)));
});

test('the page at / tells every operation and needs nothing from elsewhere', async () => {
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

test('an address that is made up by the one who asks is escaped', async () => {
  const page = await it.ask('/', { token: null, headers: { host: '"><script>alert(1)</script>' } });
  expect(page.text).not.toContain('<script>alert');
});

test('the lines of curl that read are right as they stand', async () => {
  const page = await it.ask('/', { token: null });
  const lines = [...page.text.matchAll(/<pre>(curl[^<]*)<\/pre>/g)].map((match) => String(match[1]));
  expect(lines).toHaveLength(48);
  const url = /&quot;(http[^&]*\/api\/v2\/workspaces)&quot;/.exec(lines.join('\n'))?.[1];
  expect((await it.ask(String(url).replace(it.sandbox.baseUrl, ''))).status).toBe(200);
});
