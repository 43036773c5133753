import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';

const YAML = `# Ours.
shipped_models: none # small
alerts:
  # Whom to page
  webhook: https://old.example/old-secret-path
  events: [failure]
`;

async function alerting(yaml = YAML, environmentOf: Readonly<Record<string, string>> = {}) {
  const folder = await rawProjectFolder();
  const [file, environment] = [join(folder, 'crawlhouse.yaml'), join(folder, '.env')];
  writeFileSync(file, yaml);
  const { ask, post, signIn } = await openConsole(await loadSettings(folder, environmentOf));
  return {
    folder,
    ask,
    post,
    signIn,
    yaml: () => readFileSync(file, 'utf8'),
    environment: () => (existsSync(environment) ? readFileSync(environment, 'utf8') : ''),
    mode: () => statSync(environment).mode & 0o777,
    save: (fields: Readonly<Record<string, string>>) =>
      post('/schedules/alerts', { change: 'save', format: 'json', timeout: '30', ...fields }),
  };
}

/** A receiver of alerts that keeps what was posted. */
async function receiver(status: number) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += String(piece);
    });
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
  onTestFinished(() => {
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secret-path` };
}

test('the owner changes and removes the webhook; its address is never shown, and the file keeps the rest', async () => {
  const { folder, ask, post, save, yaml, environment, mode } = await alerting();
  const { url, bodies } = await receiver(204);
  expect(await (await ask('/schedules')).text()).toContain('webhook at old.example');
  const saved = await save({ webhook: url, format: 'slack' });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/schedules']);
  expect(yaml()).toMatch(
    /^# Ours\.\nshipped_models: none # small\nalerts:\n {2}# Whom to page\n {2}events: \[ ?failure ?\]\n {2}format: slack\n$/,
  );
  expect([environment(), mode()]).toEqual([`CRAWLHOUSE_ALERTS_WEBHOOK=${url}\n`, 0o600]);
  const { alerts } = await loadSettings(folder, {});
  expect(alerts).toMatchObject({ webhook: url, format: 'slack', timeout: 30, events: ['failure'] });
  // The pages use it without a restart; an empty address keeps it.
  const tested = await post('/schedules/alerts/test', {});
  expect([tested.status, await tested.text()]).toEqual([200, expect.stringContaining('answered 204')]);
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ text: expect.stringContaining('a test alert from') });
  expect((await save({ webhook: '', timeout: '5' })).status).toBe(303);
  expect((await loadSettings(folder, {})).alerts).toMatchObject({ webhook: url, format: 'json', timeout: 5 });
  const pages = ['/schedules', '/schedules.json', '/audit', '/audit.json'];
  const shown = await Promise.all(pages.map(async (path) => (await ask(path)).text()));
  for (const text of shown) expect(text).not.toMatch(/secret-path/);
  expect(shown.at(-1)).toContain(`save webhook of alerts at ${new URL(url).host}`);
  expect((await post('/schedules/alerts', { change: 'remove' })).status).toBe(303);
  expect([environment(), (await loadSettings(folder, {})).alerts.webhook]).toEqual(['', undefined]);
  expect(yaml()).toContain('# Whom to page');
  expect((await post('/schedules/alerts/test', {})).status).toBe(400);
});

test.for([
  [{ webhook: 'ftp://files.example/secret-path' }, 'webhook: an address is expected'],
  [{ webhook: 'https://a.example/secret-path\nCRAWLHOUSE_THREADS=9' }, 'no white space'],
  [{ webhook: 'https://a.example/secret-path', timeout: '0' }, 'timeout: '],
  [{ webhook: 'https://a.example/secret-path', format: 'mail' }, 'format: '],
  [{ change: 'add' }, 'save or remove is expected'],
] as const)('%j is refused, and nothing is written or shown', async ([fields, message]) => {
  const { save, yaml, environment } = await alerting();
  const refused = await save(fields);
  const page = await refused.text();
  expect([refused.status, page]).toEqual([400, expect.stringContaining(message)]);
  expect(page).not.toContain('secret-path');
  expect([yaml(), environment()]).toEqual([YAML, '']);
});

test('a failing receiver is shown with its answer', async () => {
  const { save, post } = await alerting('shipped_models: none\n');
  expect((await save({ webhook: '' })).status).toBe(400);
  const { url } = await receiver(410);
  await save({ webhook: url });
  expect(await (await post('/schedules/alerts/test', {})).text()).toContain('the receiver answered 410');
});

test('an analyst and a forged form change nothing and send nothing', async () => {
  const { url, bodies } = await receiver(204);
  const { ask, post, signIn, yaml, environment } = await alerting(`alerts: { webhook: "${url}" }\n`);
  const analyst = await signIn('grace', 'analyst');
  for (const path of ['/schedules/alerts', '/schedules/alerts/test']) {
    const fields = { change: 'save', webhook: 'https://evil.example/', format: 'json', timeout: '30' };
    expect((await post(path, fields, analyst)).status).toBe(403);
    const body = new URLSearchParams({ ...fields, csrf: 'x' });
    expect((await ask(path, { method: 'POST', body })).status).toBe(403);
  }
  const page = await (await ask('/schedules', { cookie: analyst })).text();
  expect(page).not.toMatch(/action="\/schedules\/alerts/);
  expect([bodies, environment(), yaml()]).toEqual([[], '', `alerts: { webhook: "${url}" }\n`]);
});

test('in a console for others, an operator sends a test, but does not choose an address that is requested', async () => {
  const { url, bodies } = await receiver(204);
  const yaml = `alerts: { webhook: "${url}" }\n`;
  const shared = await alerting(yaml, {
    CRAWLHOUSE_CONSOLE_ACTIONS: 'true',
    CRAWLHOUSE_CONSOLE_URL: 'https://console.example',
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: 'https://accounts.example',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret',
  });
  const page = await (await shared.ask('/schedules')).text();
  expect([page.includes('alerts/test'), page.includes('name="webhook"')]).toEqual([true, false]);
  for (const fields of [{ change: 'save', webhook: 'http://169.254.169.254/' }, { change: 'remove' }]) {
    const refused = await shared.save(fields);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('only the owner of this machine'),
    ]);
  }
  expect([shared.yaml(), shared.environment()]).toEqual([yaml, '']);
  const tested = await shared.post('/schedules/alerts/test', {});
  expect([tested.status, (await tested.text()).includes('href="/do"')]).toEqual([200, true]);
  expect(bodies.length).toBe(1);
});
