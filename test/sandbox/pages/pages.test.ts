import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/api/endpoints.ts';
import { openApiDocument } from '../../../src/api/openapi.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { service, sharedService } from '../support.ts';
import '../../support/process-timeout.ts';

const it = await sharedService({});

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

test('an address from the client is escaped', async () => {
  const page = await it.ask('/', { token: null, headers: { host: '"><script>alert(1)</script>' } });
  expect(page.text).not.toContain('<script>alert');
});

test('every line of curl runs as it is pasted, and is accepted', async () => {
  const own = await service({
    generate: [
      'crawls=2,pages=30,links=60,columns=12,clusters=3,structured_data=5,comparisons=1,log_days=2,events=60,ranking_days=2',
    ],
  });
  const home = await temporaryFolder();
  await writeFile(join(home, '.curlrc'), String.raw`write-out = "\n%{http_code}"`);
  const env = { PATH: process.env.PATH, CURL_HOME: home, CRAWLHOUSE_ACCESS_TOKEN: own.sandbox.accessToken };
  const linesNow = async (): Promise<string[]> => {
    const page = await own.ask('/', { token: null });
    const found = [...page.text.matchAll(/<pre>([^<]*\bcurl -s [^<]*)<\/pre>/g)];
    return found.map((match) => unescaped(String(match[1])));
  };
  const first = await linesNow();
  expect(first).toHaveLength(48);
  const isDeletion = (index: number): boolean => String(first[index]).includes('-X DELETE');
  const order = [...first.keys()];
  // What one line makes another deletes or steers: the page names what is there by then.
  for (const index of [...order.filter((one) => !isDeletion(one)), ...order.filter(isDeletion).reverse()]) {
    const known = String(first[index]);
    const isStale = isDeletion(index) || /\$(?!CRAWLHOUSE)|\/pilot/.test(known);
    const line = isStale ? String((await linesNow())[index]) : known;
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env });
    expect(stdout.trim().split('\n').at(-1), `${line}\n${stdout}`).toMatch(/^20[04]$/);
  }
});

test('a line of curl has a variable for what the sandbox does not have', async () => {
  const page = await it.ask('/', { token: null });
  expect(unescaped(page.text)).toContain('/api/v2/crawls/$CRAWL_ID"');
});

/** Text as it stands on the page. */
function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(#39|\w+);/g, (entity, name: string) => signs[name] ?? entity);
}
