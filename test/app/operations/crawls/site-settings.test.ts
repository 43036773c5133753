import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSiteSettings, siteConfig } from '../../../../src/app/operations/crawls/site-settings.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const SITE = 'https://www.example.com/';

async function reading(text: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'crawls'));
  await writeFile(join(folder, 'crawls', 'www.example.com.yaml'), text);
  return readSiteSettings(folder, SITE);
}

test('a website without a file has no settings', async () => {
  expect(await readSiteSettings(await temporaryFolder(), SITE)).toBe(null);
});

test('keys of the file replace defaults, and the file name determines the URL', async () => {
  const site = await reading('start_url: https://www.example.com/de/\nmax_url: 9\nsites: [www.example.de]\n');
  expect(siteConfig(SITE, site?.keys ?? {})).toEqual({
    config: { name: 'crawlhouse crawl', user_agent: 'crawlhouse', max_speed: 5, start_url: SITE, max_url: 9 },
    own: { vitals: null, recheck: null, sites: ['https://www.example.de'] },
  });
});

test.for([
  ['max_url: 9\nresource_checker: true', ':2: resource_checker: needs js_rendering'],
  [
    'custom_fields:\n  - name: a\n    css: p\n  - name: b\n    css: p[',
    ':5: custom_fields.1.css: is not valid',
  ],
  ['robots_txt:\n  - host: "a b"\n    content: x', ':2: robots_txt.0.host: a b is not a host'],
  ['alternate_start_urls:\n  - https://other.example/', ':2: alternate_start_urls.0: does not belong'],
] as const)('%j is refused with its line', async ([text, message]) => {
  await expect(reading(text)).rejects.toThrow(`crawls/www.example.com.yaml${message}`);
});
