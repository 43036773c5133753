import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { crawlSite, serveSite } from '../support/crawl-site.ts';
import { installPython } from '../support/python-environment.ts';
import { temporaryFolder } from '../support/temporary.ts';

const SERVER = join(import.meta.dirname, 'ntlm-server.py');
const PACKAGES = ['pyspnego==0.12.4'];

interface NtlmSite {
  readonly origin: string;
  /** Connection, path, status and signed-in name of each request. */
  readonly requests: string[][];
}

/** A site that pyspnego guards: another implementation of NTLM. */
async function ntlmSite({ skip }: TestContext, elsewhere: string): Promise<NtlmSite> {
  const python = await installPython('pyspnego', PACKAGES).catch((error: Error) => skip(error.message));
  const users = join(await temporaryFolder(), 'users');
  await writeFile(users, 'CORP:Zoë:Pässword-of-ntlm\nOTHER:me:another\n');
  const env = { ...process.env, NTLM_USER_FILE: users };
  const child = spawn(join(python, 'bin/python'), [SERVER, elsewhere], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout });
  const [port] = (await once(lines, 'line')) as [string];
  const requests: string[][] = [];
  lines.on('line', (line) => requests.push(line.split(' ')));
  return { origin: `http://127.0.0.1:${port}`, requests };
}

test('NTLM authenticates each connection, and credentials stay with the site', async (context) => {
  const other = await serveSite({ '/': 'elsewhere' });
  const site = await ntlmSite(context, `${other.origin}/`);
  const http_auth = { username: 'Zoë', password: 'Pässword-of-ntlm', scheme: 'NTLM', realm: 'CORP' };
  const crawled = await crawlSite(site, { http_auth });
  const user = 'CORP\\Zoë';
  expect(await crawled.field('title')).toMatchObject({ '/': user, '/a': user, '/b': user, '/close': user });
  expect(await crawled.field('status_code')).toMatchObject({ '/away': 302, '/close': 200 });
  // A connection is signed in by three requests, and then each page takes one.
  const refused = site.requests.filter(([, , status]) => status === '401');
  const connections = new Set(site.requests.map(([connection]) => connection));
  expect(refused).toHaveLength(2 * connections.size);
  // Pages share connections. A slow machine may let one expire.
  expect(connections.size).toBeLessThan(site.requests.length - refused.length);
  for (const { headers } of other.requests) expect(headers.authorization).toBeUndefined();
});

test.for([
  ['another password', { username: 'Zoë', password: 'wrong', realm: 'CORP' }, null],
  ['another domain', { username: 'Zoë', password: 'Pässword-of-ntlm', realm: 'OTHER' }, null],
  ['the domain before the name', { username: 'OTHER\\me', password: 'another' }, 'OTHER\\me'],
] as const)('with %s the client sends its identity', async ([_name, credentials, user], context) => {
  const site = await ntlmSite(context, '/');
  const crawled = await crawlSite(site, { http_auth: { ...credentials, scheme: 'NTLM' }, max_depth: 1 });
  expect((await crawled.field('title'))['/']).toBe(user);
  expect((await crawled.field('status_code'))['/']).toBe(user === null ? 401 : 200);
});
