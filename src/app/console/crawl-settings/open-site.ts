import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { lookUp } from '../../../core/text/look-up.ts';
import { CrawlFile } from '../../../etl/project/settings/crawls/crawl-file.ts';
import { CRAWL_DEFAULTS } from '../../operations/crawls/site-settings.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';
import { HIDDEN_KEYS, openSiteFile, SETTING_DEFAULTS, type SiteFile } from './site-form.ts';

const Row = z.strictObject({ config: z.string().nullable() });
const Config = z.looseObject({ name: z.string() });

/**
 * Opens the settings of a project's website. Without a file, the values are those of its last crawl.
 *
 * @throws CrawlhouseError `bad_settings` naming file, line and key
 */
export function openSite(projectId: string, startUrl: string, readers: Readers): Promise<SiteFile> {
  return openSiteFile(readers.settings.projectDir, startUrl, () => lastConfig(readers, projectId));
}

/**
 * Returns the configuration of a website's last crawl in the warehouse, without defaults. Secrets and the keys that the
 * service does not have are not in the warehouse.
 */
async function lastConfig(readers: Readers, projectId: string): Promise<Readonly<Record<string, unknown>>> {
  const rows = await readers
    .rowsOnce(
      Row,
      `SELECT CAST(crawl_config AS VARCHAR) AS config FROM raw.crawls
       WHERE project_id = $project ORDER BY ended_at DESC NULLS LAST LIMIT 20`,
      new Map([['project', projectId]]),
    )
    .catch(withoutModels([]));
  const configs = rows.map(({ config }) => Config.safeParse(JSON.parse(config ?? 'null')).data);
  const { name: _, ...last } = configs.find((config) => config?.name === CRAWL_DEFAULTS.name) ?? { name: '' };
  return Object.fromEntries(
    Object.entries(last).filter(
      ([key, value]) =>
        value !== null &&
        !HIDDEN_KEYS.has(key) &&
        !isDeepStrictEqual(value, lookUp(SETTING_DEFAULTS, key)) &&
        CrawlFile.safeParse({ [key]: value }).success,
    ),
  );
}
