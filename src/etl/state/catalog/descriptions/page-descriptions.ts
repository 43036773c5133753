import type { FieldEntry } from '../../../../client/fields/field-entry.ts';
import { PAGE_FIELDS } from '../../../../client/fields/page-fields.ts';

/** Page fields of the service that local crawls do not have. */
const SERVICE_FIELDS = {
  alt_evaluation: 'State of the alternative texts of the images, as the service reports it.',
  canonical_declaration: 'How the page declares its canonical.',
  cluster_canonical_status: 'How canonicals handle the cluster of similar pages.',
  crawled_by_googlebot: 'Whether Googlebot requested the page, according to the log files.',
  description_hash: 'Hash of the meta description.',
  description_is_optimized: 'Whether the service considers the meta description optimized.',
  duplicate_evaluation: 'Duplicate state of the page, as the service reports it.',
  googlebot_hits: 'Number of requests of Googlebot for the page, according to the log files.',
  h1_hash: 'Hash of the H1.',
  h1_is_optimized: 'Whether the service considers the H1 optimized.',
  hreflang_languages: 'Languages and regions that the hreflang declarations name.',
  page_group: "Segment of the page in the project's segmentation.",
  similar_pages: 'Pages with nearly the same content, with their similarity.',
  title_hash: 'Hash of the title.',
  title_is_optimized: 'Whether the service considers the title optimized.',
};

/** Returns the descriptions of the fields of a table, by name. */
export function descriptionsOf(fields: Readonly<Record<string, FieldEntry>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, { description }]) => [name, description]));
}

/** Descriptions of the page fields of a crawl. */
export const PAGE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...SERVICE_FIELDS,
  ...descriptionsOf(PAGE_FIELDS),
};

/** Descriptions of families of page fields, by the prefix of their names. */
export const PAGE_FIELD_FAMILIES: Readonly<Record<string, (rest: string) => string>> = {
  custom_: (rest) => `Value that the data scraping of the project extracted from the page: ${rest}.`,
  page_group_: (rest) => `Segment of the page in the project's segmentation ${rest}.`,
  gsc_: (rest) => `Figure of the connector search_console for the page: ${rest.replaceAll('_', ' ')}.`,
  ogp_: (rest) => `Open Graph tags of the page: ${rest.replaceAll('_', ' ')}.`,
  twc_: (rest) => `Twitter card of the page: ${rest.replaceAll('_', ' ')}.`,
  url_path_: (rest) => `Directory ${rest} of the path, counted from the host.`,
};
