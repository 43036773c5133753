import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { exchangeCode } from '../../../../src/client/http/oauth.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { connect } from '../../../../src/etl/pipeline/discover/connect.ts';
import { applicationOf, BACK, codeFor } from '../../../service/sandbox/oauth/consent.ts';
import { type Service, service } from '../../../service/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

async function refreshTokenOf(it: Service): Promise<string> {
  return (await exchangeCode(applicationOf(it), await codeFor(it), BACK)).refreshToken;
}

/** Lists the workspaces as a command of this project folder would. */
async function ask(it: Service, dir: string, refreshToken: string): Promise<number> {
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  const settings = await loadSettings(dir, {
    CRAWLHOUSE_BASE_URL: `${it.sandbox.baseUrl}/`,
    CRAWLHOUSE_OAUTH_CLIENT_ID: client_id,
    CRAWLHOUSE_OAUTH_CLIENT_SECRET: client_secret,
    CRAWLHOUSE_OAUTH_REFRESH_TOKEN: refreshToken,
  });
  await using client = connect(settings, silentLogger);
  return (await Array.fromAsync(client.list('workspaces', {}))).length;
}

test('tokens are stored in the state directory, for its owner only, and used by the next command', async () => {
  const it = await service();
  const dir = await temporaryFolder();
  const file = join(dir, '.crawlhouse', 'oauth.json');
  const setting = await refreshTokenOf(it);
  expect(await ask(it, dir, setting)).toBe(1);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const first = await readFile(file, 'utf8');
  expect(first).not.toContain(setting);
  // The setting's own refresh token is spent by now.
  expect(await ask(it, dir, setting)).toBe(1);
  expect(await readFile(file, 'utf8')).toBe(first);
  await it.ask('/_sandbox/clock', { body: { now: Date.now() + 7_200_000 } });
  expect(await ask(it, dir, setting)).toBe(1);
  expect(await readFile(file, 'utf8')).not.toBe(first);
});

test('another refresh token in the settings overrides the stored tokens', async () => {
  const it = await service();
  const dir = await temporaryFolder();
  const file = join(dir, '.crawlhouse', 'oauth.json');
  await ask(it, dir, await refreshTokenOf(it));
  const former = await readFile(file, 'utf8');
  expect(await ask(it, dir, await refreshTokenOf(it))).toBe(1);
  expect(await readFile(file, 'utf8')).not.toBe(former);
});

test('stored tokens that cannot be read are ignored', async () => {
  const it = await service();
  const dir = await temporaryFolder();
  const file = join(dir, '.crawlhouse', 'oauth.json');
  const setting = await refreshTokenOf(it);
  await ask(it, dir, setting);
  await writeFile(file, '{"half');
  await expect(ask(it, dir, setting)).rejects.toMatchObject({ code: 'unauthorized' });
  await rm(file);
  const fresh = await refreshTokenOf(it);
  expect(await ask(it, dir, fresh)).toBe(1);
});
