import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { openConsole } from '../../../support/open-console.ts';
import { projectFolder } from '../../../support/project.ts';

test('without a session, pages redirect to the sign-in, and JSON is refused', async () => {
  const { ask } = await openConsole(await loadSettings(await projectFolder(), {}));
  const page = await ask('/', { cookie: '' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/sign-in']);
  expect((await ask('/index.json', { cookie: '' })).status).toBe(401);
});

test('a sign-in link signs in once', async () => {
  const { ask, link } = await openConsole(await loadSettings(await projectFolder(), {}));
  expect((await ask('/')).status).toBe(200);
  const again = await fetch(link, { redirect: 'manual' });
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
});

test('every response forbids external content', async () => {
  const { ask } = await openConsole(await loadSettings(await projectFolder(), {}));
  for (const path of ['/', '/index.json', '/nothing', '/assets/console.css', '/sign-in']) {
    const { headers } = await ask(path);
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'; script-src 'self'");
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
  }
});
