import { CrawlhouseError } from '../core/errors/errors.ts';

/** @param setting such as `store_b.region` */
export function missingSetting(setting: string): CrawlhouseError {
  return new CrawlhouseError('bad_settings', `the setting ${setting} is missing`, {
    hint: 'docs/settings.md says what a data export to a store needs',
  });
}
