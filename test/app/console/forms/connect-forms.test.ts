import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { openConsole } from '../../../support/open-console.ts';
import { rawProjectFolder, sandboxFor } from '../../../support/project.ts';
import '../../../support/process-timeout.ts';

test('an account is tested, projects are chosen, and a run starts; the token is never shown', async () => {
  const sandbox = await sandboxFor({ generate: ['projects=2,crawls=1,pages=5,links=0,seed=5'] });
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'crawlhouse.yaml'), '# Ours.\nshipped_models: none # small\n');
  writeFileSync(join(folder, '.env'), 'CRAWLHOUSE_THREADS=1\nCRAWLHOUSE_ACCESS_TOKEN=');
  const { ask, post } = await openConsole(await loadSettings(folder, {}));
  const shown: string[] = [];
  const page = async (answer: Response): Promise<string> => {
    shown.push(await answer.text());
    return shown.at(-1) ?? '';
  };
  const { baseUrl: base_url, accessToken: token } = sandbox;
  for (const [fields, message] of [
    [{ base_url, token: 'another-token' }, 'unauthorized'],
    [{ base_url: 'http://me:secret@127.0.0.1/', token }, 'an address without user name and password'],
    [{ base_url, token: 'two words' }, 'white space'],
  ] as const) {
    const refused = await post('/connect', fields);
    expect([refused.status, await page(refused)]).toEqual([400, expect.stringMatching(message)]);
    expect(shown.at(-1)).toContain(`name="base_url" value="${fields.base_url}"`);
  }
  const tried = await post('/connect', { base_url: `${base_url}/`, token });
  expect([tried.status, tried.headers.get('location')]).toEqual([303, '/connect']);
  expect(await page(await ask('/connect'))).toContain('name="project"');
  const { offered } = (await (await ask('/connect.json')).json()) as {
    offered: { workspaces: { projects: { id: string }[] }[] };
  };
  const [project = ''] = offered.workspaces.flatMap(({ projects }) => projects.map(({ id }) => id));
  expect((await post('/connect/projects', {})).status).toBe(400);
  const saved = await post('/connect/projects', { project });
  expect(saved.headers.get('location')).toMatch(/^\/(?:runs|do\/actions)\//);
  expect(readFileSync(join(folder, 'crawlhouse.yaml'), 'utf8')).toBe(
    `# Ours.\nshipped_models: none # small\nbase_url: ${base_url}\nprojects:\n  - ${project}\n`,
  );
  const environment = join(folder, '.env');
  expect(readFileSync(environment, 'utf8')).toBe(`CRAWLHOUSE_THREADS=1\nCRAWLHOUSE_ACCESS_TOKEN=${token}\n`);
  expect(statSync(environment).mode & 0o777).toBe(0o600);
  expect(await page(await ask('/'))).not.toContain('action="/connect"');
  expect(await page(await ask('/connect'))).toContain(`This project folder loads from ${base_url}.`);
  expect(await page(await ask('/audit'))).toContain('crawlhouse run');
  expect((await post('/connect', { base_url, token })).status).toBe(400);
  for (const text of shown) expect(text).not.toMatch(new RegExp(`${token}|another-token`));
});
