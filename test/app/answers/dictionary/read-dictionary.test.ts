import { expect, test } from 'vitest';
import { modelLineage } from '../../../../src/app/answers/dictionary/read-dictionary.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

test('the lineage of the models names the loaded columns behind each column', async () => {
  const settings = await loadSettings(process.cwd(), { CRAWLHOUSE_STATE_DIR: await temporaryFolder() });
  const pages = (await modelLineage(settings)).get('mart.pages');
  expect(pages?.get('url')).toEqual(['raw.crawl_pages.url']);
  expect(pages?.get('url_key')).toEqual(['raw.crawl_pages._project_id', 'raw.crawl_pages.url']);
});
