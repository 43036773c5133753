import type { FieldEntry } from '../../client/fields/field-entry.ts';
import { PAGE_FIELDS, type PageFieldName } from '../../client/fields/page-fields.ts';
import type { FieldRecord } from '../../client/resources/fields.ts';
import { fieldRecord, recordsOf } from './field-record.ts';

/** The page fields of the specification (api-spec.md §2.15), in its order: the most used fields come first. */
const SPECIFIED = `
  url status_code fetched title depth inrank status_code_range fetch_status fetch_date sources
  meta_robots_index meta_robots robots_txt_denied rel_canonical canonical_evaluation redirect_location
  final_redirect_location final_redirect_status h1 nb_inlinks word_count load_time sitemaps_file_origin
  urlpath url_host url_first_path url_ext url_has_params querystring_key querystring_keyvalue inrank_decimal
  redirect_count is_redirect_loop is_too_many_redirects redirect_cluster_id meta_robots_follow parsed_html
  meta_description description_length description_length_range description_evaluation title_length
  title_evaluation h1_evaluation language text_to_code weight follow_inlinks nofollow_inlinks
  nb_inlinks_range internal_outlinks internal_follow_outlinks internal_nofollow_outlinks
  internal_outlinks_range external_outlinks external_follow_outlinks external_nofollow_outlinks
  external_outlinks_range nb_outlinks_range nearduplicate_content nearduplicate_content_similarity
  nearduplicate_status has_nearduplicate_issue clusters duplicate_title_status has_duplicate_title_issue
  duplicate_h1_status has_duplicate_h1_issue duplicate_description_status has_duplicate_description_issue
  hreflang_cluster_id rel_next rel_prev num_h1 num_h2 num_h3 num_h4 num_h5 num_h6 num_img num_img_alt
  num_missing_alt num_img_range semantic_item_count semantic_types sitemaps_num_alternate
  sitemaps_num_images sitemaps_num_news sitemaps_num_videos cwv_bytes_saving cwv_cls cwv_fcp cwv_lcp
  cwv_performance_score cwv_si cwv_tbt cwv_tti cwv_time_saving custom_qsdd
`;

export const PAGE_FIELD_RECORDS: readonly FieldRecord[] = SPECIFIED.trim()
  .split(/\s+/)
  .map((name) => {
    const { type, arity, values }: FieldEntry = PAGE_FIELDS[name as PageFieldName];
    return fieldRecord(name, type, arity, values);
  });

/** Page fields that real services have beyond the specification (wire-facts.md, "page fields beyond"). */
export const MORE_PAGE_FIELDS = recordsOf([
  ['indexable is_canonical', 'bool'],
  ['page_group_section', 'enum'],
]).concat(
  fieldRecord('page_group_page type', 'string'),
  recordsOf([
    ['canonicals h2 h3 hreflang_languages', 'string', 'many'],
    ['simhash', 'natural'],
    ['ngrams', 'object'],
    ['similar_pages', 'nested', 'many'],
    ['ogp_title ogp_type twc_card', 'string'],
    ['crawled_by_googlebot', 'bool'],
    ['googlebot_hits gsc_clicks gsc_impressions', 'natural'],
    ['gsc_position', 'float'],
    ['gsc_ctr', 'percentage'],
  ]),
);

const SYNTHETIC = [
  'natural',
  'string',
  'float',
  'bool',
  'percentage',
  'enum',
  'datetime',
  'hash',
  'date',
] as const;

/** Returns the nth generated field, for tables wider than those of the service. */
export function syntheticField(n: number): FieldRecord {
  const type = SYNTHETIC[n % SYNTHETIC.length] ?? 'string';
  const name = `custom_${type}_${String(n + 1).padStart(3, '0')}`;
  return fieldRecord(name, type, 'one', type === 'enum' ? ['alpha', 'beta', 'gamma', 'delta'] : undefined);
}
