import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord, recordsOf } from './field-record.ts';

export const STATUS_RANGES = ['ok', 'redirect', 'client_error', 'server_error'];
const EVALUATIONS = ['unique', 'duplicated', 'not_set'];
const LINK_RANGES = ['0-50', '50-100', '100-150', '150-200', '>200'];
const DUPLICATE_STATUSES = [
  'canonical_ok',
  'hreflang_ok',
  'canonical_not_matching',
  'hreflang_error',
  'canonical_not_set',
];

/** The page fields of the specification, whole (api-spec.md §2.15); those that most questions need come first. */
export const PAGE_FIELD_RECORDS = recordsOf([
  ['url', 'string'],
  ['status_code', 'natural'],
  ['fetched', 'bool'],
  ['title', 'string'],
  ['depth inrank', 'natural'],
  ['status_code_range', 'enum', 'one', STATUS_RANGES],
  ['fetch_status', 'string'],
  ['fetch_date', 'datetime'],
  ['sources', 'string', 'many'],
  ['meta_robots_index', 'bool'],
  ['meta_robots', 'string', 'many'],
  ['robots_txt_denied', 'bool'],
  ['rel_canonical', 'string'],
  ['canonical_evaluation', 'enum', 'one', ['matching', 'not_matching', 'not_set']],
  ['redirect_location final_redirect_location', 'string'],
  ['final_redirect_status', 'natural'],
  ['h1', 'string'],
  ['nb_inlinks word_count load_time', 'natural'],
  ['sitemaps_file_origin', 'string', 'many'],
  ['urlpath url_host url_first_path url_ext', 'string'],
  ['url_has_params', 'bool'],
  ['querystring_key querystring_keyvalue', 'string'],
  ['inrank_decimal', 'float'],
  ['redirect_count', 'natural'],
  ['is_redirect_loop is_too_many_redirects', 'bool'],
  ['redirect_cluster_id', 'hash'],
  ['meta_robots_follow parsed_html', 'bool'],
  ['meta_description', 'string'],
  ['description_length', 'natural'],
  ['description_length_range', 'enum', 'one', ['perfect', 'good', 'too short', 'too long']],
  ['description_evaluation', 'enum', 'one', EVALUATIONS],
  ['title_length', 'natural'],
  ['title_evaluation h1_evaluation', 'enum', 'one', EVALUATIONS],
  ['language', 'string'],
  ['text_to_code', 'percentage'],
  ['weight follow_inlinks nofollow_inlinks', 'natural'],
  ['nb_inlinks_range', 'enum', 'one', LINK_RANGES],
  ['internal_outlinks internal_follow_outlinks internal_nofollow_outlinks', 'natural'],
  ['internal_outlinks_range', 'enum', 'one', LINK_RANGES],
  ['external_outlinks external_follow_outlinks external_nofollow_outlinks', 'natural'],
  ['external_outlinks_range nb_outlinks_range', 'enum', 'one', LINK_RANGES],
  ['nearduplicate_content', 'bool'],
  ['nearduplicate_content_similarity', 'percentage'],
  ['nearduplicate_status', 'enum', 'one', DUPLICATE_STATUSES],
  ['has_nearduplicate_issue', 'bool'],
  ['clusters', 'hash', 'many'],
  ['duplicate_title_status', 'enum', 'one', DUPLICATE_STATUSES],
  ['has_duplicate_title_issue', 'bool'],
  ['duplicate_h1_status', 'enum', 'one', DUPLICATE_STATUSES],
  ['has_duplicate_h1_issue', 'bool'],
  ['duplicate_description_status', 'enum', 'one', DUPLICATE_STATUSES],
  ['has_duplicate_description_issue', 'bool'],
  ['hreflang_cluster_id', 'hash'],
  ['rel_next rel_prev', 'string'],
  ['num_h1 num_h2 num_h3 num_h4 num_h5 num_h6 num_img num_img_alt num_missing_alt', 'natural'],
  ['num_img_range', 'enum', 'one', ['no image', 'one image', 'more than one']],
  ['semantic_item_count', 'natural'],
  ['semantic_types', 'string', 'many'],
  ['sitemaps_num_alternate sitemaps_num_images sitemaps_num_news sitemaps_num_videos', 'natural'],
  ['cwv_bytes_saving', 'natural'],
  ['cwv_cls', 'float'],
  ['cwv_fcp cwv_lcp', 'natural'],
  ['cwv_performance_score', 'float'],
  ['cwv_si cwv_tbt cwv_tti cwv_time_saving', 'natural'],
  ['custom_qsdd', 'string'],
]);

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

/** The nth made-up field, for tables wider than any service gives. */
export function syntheticField(n: number): FieldRecord {
  const type = SYNTHETIC[n % SYNTHETIC.length] ?? 'string';
  const name = `custom_${type}_${String(n + 1).padStart(3, '0')}`;
  return fieldRecord(name, type, 'one', type === 'enum' ? ['alpha', 'beta', 'gamma', 'delta'] : undefined);
}
