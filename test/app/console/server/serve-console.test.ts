import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { sharedConsole } from '../../../support/open-console.ts';
import { rawProjectFolder } from '../../../support/project.ts';
import { sharedFolder } from '../../../support/temporary.ts';

const folder = sharedFolder();
const shared = sharedConsole(async () => loadSettings(await rawProjectFolder(folder), {}));

test('without a session, pages redirect to the sign-in, and JSON is refused', async () => {
  const { ask } = shared();
  const page = await ask('/', { cookie: '' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/sign-in']);
  expect((await ask('/index.json', { cookie: '' })).status).toBe(401);
});

test('a sign-in link signs in once', async () => {
  const { ask, link } = shared();
  expect((await ask('/')).status).toBe(200);
  const again = await fetch(link, { redirect: 'manual' });
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
});

test('every response forbids external content', async () => {
  const { ask } = shared();
  for (const path of ['/', '/index.json', '/nothing', '/assets/console.css', '/sign-in']) {
    const { headers } = await ask(path);
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
  }
});
