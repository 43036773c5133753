import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord } from './field-record.ts';
import { PAGE_CATALOGUE } from './page-catalogue.ts';

/** Page fields that a comparison shows of both crawls. The URL of each is as it was before any transformation. */
export const COMPARED_FIELDS =
  'url status_code status_code_range fetched fetch_status depth inrank title title_evaluation h1 meta_description word_count load_time weight language nb_inlinks internal_outlinks external_outlinks meta_robots_index meta_robots_follow robots_txt_denied rel_canonical canonical_evaluation redirect_location final_redirect_status num_img'.split(
    ' ',
  );

const PRESENCES = ['in_both', 'only_crawl1', 'only_crawl2'] as const;

/** Compared pages; nothing public shows their fields (wire-facts.md): ours. */
export const CRAWL_OVER_CRAWL_CATALOGUE: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('presence', 'enum', 'one', [...PRESENCES]),
  ...COMPARED_FIELDS.flatMap((name) => [comparedField('crawl1', name), comparedField('crawl2', name)]),
];

function comparedField(crawl: 'crawl1' | 'crawl2', name: string): FieldRecord {
  const record = PAGE_CATALOGUE.find((field) => field.name === name);
  if (record === undefined) throw new Error(`no page field ${name}`);
  return { ...record, name: `${crawl}_${name}` };
}
