import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { crawlhouse, published, rawProjectFolder, sandboxFor } from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** Each spelling of a secret that a reader would know it by. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), base64, bytes.toString('base64url'), bytes.toString('hex')];
}

function expectNone(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets)
    for (const form of spellings(secret)) expect(text.includes(form), `${form} in ${where}`).toBe(false);
}

/** Every file below a folder, with its mode. */
async function filesBelow(folder: string): Promise<{ path: string; mode: number; isFolder: boolean }[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    ['', ...names].map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path);
      return { path, mode: found.mode & 0o777, isFolder: found.isDirectory() };
    }),
  );
}

async function expectNoneBelow(folder: string, secrets: readonly string[]): Promise<void> {
  for (const { path, isFolder } of await filesBelow(folder))
    if (!isFolder) expectNone((await readFile(path)).toString('latin1'), secrets, path);
}

const HIDDEN = Array.from({ length: 12 }, (_one, index) => `planted-secret-${index}-of-records`);
const SETTINGS = {
  CRAWLHOUSE_WEBHOOK_SECRET: 'planted-webhook-secret-0123',
  AWS_SECRET_ACCESS_KEY: 'planted+aws/secret=key0123456',
};

/** A configuration as a careless service would serve it. */
const CONFIG = {
  http_auth: { username: 'u', password: HIDDEN[0] },
  extra_headers: { authorization: HIDDEN[1], cookie: HIDDEN[2] },
  custom_fields: [{ name: 'price', headers: { 'x-key': HIDDEN[3] } }],
  analytics_a_params: { api_key: HIDDEN[4] },
  backlinks_params: { access_token: HIDDEN[5] },
  notifications: { custom_webhooks: [{ url: `https://x.example/${HIDDEN[6]}`, secret: HIDDEN[7] }] },
  proxy: `http://u:${HIDDEN[8]}@proxy.example:8080`,
  cookies: [{ value: HIDDEN[9] }],
  sitemaps: [`https://u:${HIDDEN[10]}@www.example/sitemap.xml`],
  of_tomorrow: HIDDEN[11],
};

test('no secret of settings or records is in the warehouse, the state directory or any output; files are private', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=1,crawls=1,pages=30,links=0,columns=10,seed=3'] });
  const ask = async (path: string, method = 'GET', body?: unknown) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${sandbox.accessToken}` };
    const answer = await fetch(`${sandbox.baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Record<string, { id: string; crawl_config: { id: string } }[]>;
  };
  const workspace = (await ask('/api/v2/workspaces')).workspaces?.[0]?.id;
  const project = (await ask(`/api/v2/workspaces/${workspace}/projects`)).projects?.[0];
  const crawl = (await ask(`/api/v2/workspaces/${workspace}/crawls`)).crawls?.[0];
  const config = { ...crawl?.crawl_config, ...CONFIG };
  await ask(`/_sandbox/projects/${project?.id}`, 'PATCH', {
    crawl_configs: [config],
    crawls: [{ id: 'c', crawl_config: config }],
    start_url: `https://u:${HIDDEN[10]}@www.example/`,
  });
  await ask(`/_sandbox/crawls/${crawl?.id}`, 'PATCH', { crawl_config: config });
  await ask(`/_sandbox/crawl_configs/${crawl?.crawl_config.id}`, 'PATCH', CONFIG);

  const folder = await rawProjectFolder();
  const secrets = [...HIDDEN, ...Object.values(SETTINGS), sandbox.accessToken];
  for (const args of [
    ['run', '--debug'],
    ['status'],
    ['status', '--json'],
    ['doctor', '--json'],
    ['discover'],
  ]) {
    const { stdout, stderr, status } = await crawlhouse(folder, sandbox, args, SETTINGS);
    if (args[0] === 'run') expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    expectNone(stdout, secrets, `stdout of ${args.join(' ')}`);
    expectNone(stderr, secrets, `stderr of ${args.join(' ')}`);
  }
  await expectNoneBelow(folder, secrets);
  const connection = await temporaryConnection(await temporaryFolder());
  for (const table of [
    'projects',
    'crawls',
    'crawl_configs',
    'scheduled_crawls',
    'data_exports',
    'workspaces',
  ]) {
    const rows = JSON.stringify(await published(connection, folder, `FROM raw.${table}`));
    expectNone(rows, secrets, `raw.${table}`);
    if (table === 'crawl_configs') expect(rows).toContain('price');
  }

  const open = (await filesBelow(join(folder, '.crawlhouse'))).filter(
    ({ mode, isFolder }) => mode !== (isFolder ? 0o700 : 0o600),
  );
  expect(open).toEqual([]);
  expect((await stat(join(folder, 'warehouse.duckdb'))).mode & 0o777).toBe(0o666 & ~process.umask());
});

test('with a umask of 000, secrets and the state directory are still private to their owner', async () => {
  const folder = await temporaryFolder();
  const open = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent('process.umask(0)')}` };
  const line = '203.0.113.9 - - [23/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0"\n';
  await writeFile(join(folder, 'access.log'), line);
  for (const argv of [
    ['init'],
    ['logs', 'add', 'access.log', '--site', 'https://e.example/'],
    ['query', 'SELECT 1', '--output', 'answer.csv'],
    ['report', '--output', 'report.html'],
  ]) {
    const { status, stderr } = await crawlhouse(folder, null, argv, open);
    expect([argv, status, stderr]).toEqual([argv, 0, expect.any(String)]);
  }
  expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, '.crawlhouse'))).mode & 0o777).toBe(0o700);
  const others = (await filesBelow(join(folder, '.crawlhouse'))).filter(
    ({ mode, isFolder }) => mode !== (isFolder ? 0o700 : 0o600),
  );
  expect(others).toEqual([]);
  // Results have the mode that the person asked for.
  expect((await stat(join(folder, 'warehouse.duckdb'))).mode & 0o777).toBe(0o666);
});

test('a token echoed by the service in any spelling appears in no output and no file', async () => {
  const token = 'echoed+token/of=the-test-0123456789';
  const basic = Buffer.from(`someone:${token}`).toString('base64');
  const half = Math.floor(token.length / 2);
  const said = [
    ...spellings(token),
    encodeURIComponent(encodeURIComponent(token)),
    `Basic ${basic}`,
    `${token.slice(0, half)}\n${token.slice(half)}`,
    `a=${token.slice(0, half)} b=${token.slice(half)}`,
  ];
  let asked = 0;
  const server = createServer((_request, response) => {
    const message = said[asked++ % said.length];
    const body = {
      type: 'invalid_request',
      code: message,
      message: said.join(' | '),
      fields: [{ name: message }],
    };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await rawProjectFolder();
  const service = {
    CRAWLHOUSE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CRAWLHOUSE_ACCESS_TOKEN: token,
  };
  const pieces = [token, token.slice(0, half), token.slice(half), basic.slice(12, -4)];
  for (const args of [
    ['run', '--json', '--debug'],
    ['run', '--verbose'],
    ['discover', '--json'],
    ['doctor'],
    ['status', '--json'],
  ]) {
    const { stdout, stderr } = await crawlhouse(folder, null, args, service);
    expectNone(`${stdout}${stderr}`, pieces, args.join(' '));
    if (args[0] === 'run') expect(stderr).toContain('[redacted]');
    if (args.includes('--json') && stdout !== '') JSON.parse(stdout);
  }
  await expectNoneBelow(folder, pieces);
});
