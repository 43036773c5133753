import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findBrowser } from '../../../../src/site/crawler/render/find-browser.ts';
import { tryStart } from '../../../../src/site/crawler/try-start.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const CONFIG = {
  name: 'test',
  start_url: 'http://127.0.0.1:1/',
  user_agent: 'testbot',
  max_speed: 1,
  js_rendering: true,
};

test('the configured browser is used, and a missing one is named', async () => {
  const path = join(await temporaryFolder(), 'chrome');
  const missing = {
    code: 'missing_feature',
    message: `rendering.browser: there is no ${path}`,
    hint: 'set the path of Chromium or Chrome',
  };
  await expect(findBrowser(path)).rejects.toMatchObject(missing);
  // Before anything is fetched.
  await expect(tryStart(CONFIG, { rendering: { browser: path } })).rejects.toMatchObject(missing);
  await writeFile(path, '');
  expect(await findBrowser(path)).toMatchObject({ path });
});

test('a temporary folder that cannot be created is named with its variable, before any request', async () => {
  const folder = await temporaryFolder();
  const [path, file] = [join(folder, 'chrome'), join(folder, 'file')];
  for (const one of [path, file]) await writeFile(one, '');
  vi.stubEnv('TMPDIR', join(file, 'below'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(tryStart(CONFIG, { rendering: { browser: path } })).rejects.toMatchObject({
    code: 'bad_project',
    message: `the folder ${file}/below (TMPDIR) cannot be created: ${file} is a file`,
    hint: 'set TMPDIR to another folder',
  });
});
