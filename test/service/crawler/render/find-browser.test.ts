import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrowser } from '../../../../src/service/crawler/render/find-browser.ts';
import { tryStart } from '../../../../src/service/crawler/try-start.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('the browser of the setting is taken, and one that is not there is named', async () => {
  const path = join(await temporaryFolder(), 'chrome');
  const missing = {
    code: 'missing_feature',
    message: `rendering.browser: there is no ${path}`,
    hint: 'give the path of a Chromium or Chrome',
  };
  await expect(findBrowser(path)).rejects.toMatchObject(missing);
  const config = {
    name: 'test',
    start_url: 'http://127.0.0.1:1/',
    user_agent: 'testbot',
    max_speed: 1,
    js_rendering: true,
  };
  // Before anything is fetched.
  await expect(tryStart(config, { rendering: { browser: path } })).rejects.toMatchObject(missing);
  await writeFile(path, '');
  expect(await findBrowser(path)).toMatchObject({ path });
});
