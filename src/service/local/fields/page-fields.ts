import { lookUp } from '../../../core/text/look-up.ts';
import type { FieldRecord } from '../../api/resources/fields.ts';
import { fieldRecord } from './field-record.ts';

const STATUS_RANGES = ['ok', 'redirect', 'client_error', 'server_error'];
const EVALUATIONS = ['unique', 'duplicated', 'not_set'];
const LINK_RANGES = ['0-50', '50-100', '100-150', '150-200', '>200'];
const DUPLICATE_STATUSES = [
  'canonical_ok',
  'hreflang_ok',
  'canonical_not_matching',
  'hreflang_error',
  'canonical_not_set',
];

type Entry = readonly [name: string, type: string, values?: readonly string[]];

/** The page fields of the specification, whole (api-spec.md §2.15); those that most questions need come first. */
const ONE: readonly Entry[] = [
  ['url', 'string'],
  ['status_code', 'natural'],
  ['fetched', 'bool'],
  ['title', 'string'],
  ['depth', 'natural'],
  ['inrank', 'natural'],
  ['status_code_range', 'enum', STATUS_RANGES],
  ['fetch_status', 'string'],
  ['fetch_date', 'datetime'],
  ['meta_robots_index', 'bool'],
  ['robots_txt_denied', 'bool'],
  ['rel_canonical', 'string'],
  ['canonical_evaluation', 'enum', ['matching', 'not_matching', 'not_set']],
  ['redirect_location', 'string'],
  ['final_redirect_location', 'string'],
  ['final_redirect_status', 'natural'],
  ['h1', 'string'],
  ['nb_inlinks', 'natural'],
  ['word_count', 'natural'],
  ['load_time', 'natural'],
  ['urlpath', 'string'],
  ['url_host', 'string'],
  ['url_first_path', 'string'],
  ['url_ext', 'string'],
  ['url_has_params', 'bool'],
  ['querystring_key', 'string'],
  ['querystring_keyvalue', 'string'],
  ['inrank_decimal', 'float'],
  ['redirect_count', 'natural'],
  ['is_redirect_loop', 'bool'],
  ['is_too_many_redirects', 'bool'],
  ['redirect_cluster_id', 'hash'],
  ['meta_robots_follow', 'bool'],
  ['parsed_html', 'bool'],
  ['meta_description', 'string'],
  ['description_length', 'natural'],
  ['description_length_range', 'enum', ['perfect', 'good', 'too short', 'too long']],
  ['description_evaluation', 'enum', EVALUATIONS],
  ['title_length', 'natural'],
  ['title_evaluation', 'enum', EVALUATIONS],
  ['h1_evaluation', 'enum', EVALUATIONS],
  ['language', 'string'],
  ['text_to_code', 'percentage'],
  ['weight', 'natural'],
  ['follow_inlinks', 'natural'],
  ['nofollow_inlinks', 'natural'],
  ['nb_inlinks_range', 'enum', LINK_RANGES],
  ['internal_outlinks', 'natural'],
  ['internal_follow_outlinks', 'natural'],
  ['internal_nofollow_outlinks', 'natural'],
  ['internal_outlinks_range', 'enum', LINK_RANGES],
  ['external_outlinks', 'natural'],
  ['external_follow_outlinks', 'natural'],
  ['external_nofollow_outlinks', 'natural'],
  ['external_outlinks_range', 'enum', LINK_RANGES],
  ['nb_outlinks_range', 'enum', LINK_RANGES],
  ['nearduplicate_content', 'bool'],
  ['nearduplicate_content_similarity', 'percentage'],
  ['nearduplicate_status', 'enum', DUPLICATE_STATUSES],
  ['has_nearduplicate_issue', 'bool'],
  ['duplicate_title_status', 'enum', DUPLICATE_STATUSES],
  ['has_duplicate_title_issue', 'bool'],
  ['duplicate_h1_status', 'enum', DUPLICATE_STATUSES],
  ['has_duplicate_h1_issue', 'bool'],
  ['duplicate_description_status', 'enum', DUPLICATE_STATUSES],
  ['has_duplicate_description_issue', 'bool'],
  ['hreflang_cluster_id', 'hash'],
  ['rel_next', 'string'],
  ['rel_prev', 'string'],
  ['num_h1', 'natural'],
  ['num_h2', 'natural'],
  ['num_h3', 'natural'],
  ['num_h4', 'natural'],
  ['num_h5', 'natural'],
  ['num_h6', 'natural'],
  ['num_img', 'natural'],
  ['num_img_alt', 'natural'],
  ['num_missing_alt', 'natural'],
  ['num_img_range', 'enum', ['no image', 'one image', 'more than one']],
  ['semantic_item_count', 'natural'],
  ['sitemaps_num_alternate', 'natural'],
  ['sitemaps_num_images', 'natural'],
  ['sitemaps_num_news', 'natural'],
  ['sitemaps_num_videos', 'natural'],
  ['cwv_bytes_saving', 'natural'],
  ['cwv_cls', 'float'],
  ['cwv_fcp', 'natural'],
  ['cwv_lcp', 'natural'],
  ['cwv_performance_score', 'float'],
  ['cwv_si', 'natural'],
  ['cwv_tbt', 'natural'],
  ['cwv_tti', 'natural'],
  ['cwv_time_saving', 'natural'],
  ['custom_qsdd', 'string'],
];

/** Many-valued fields, each with the field that it follows. */
const MANY: Readonly<Record<string, Entry>> = {
  fetch_date: ['sources', 'string'],
  meta_robots_index: ['meta_robots', 'string'],
  load_time: ['sitemaps_file_origin', 'string'],
  has_nearduplicate_issue: ['clusters', 'hash'],
  semantic_item_count: ['semantic_types', 'string'],
};

export const PAGE_FIELD_RECORDS: readonly FieldRecord[] = ONE.flatMap(([name, type, values]) => {
  const follower = lookUp(MANY, name);
  const record = fieldRecord(name, type, 'one', values);
  return follower ? [record, fieldRecord(follower[0], follower[1], 'many')] : [record];
});

/** Page fields that real services have beyond the specification (wire-facts.md, "page fields beyond"). */
export const MORE_PAGE_FIELDS: readonly FieldRecord[] = [
  fieldRecord('indexable', 'bool'),
  fieldRecord('is_canonical', 'bool'),
  fieldRecord('page_group_section', 'enum'),
  fieldRecord('page_group_page type', 'string'),
  fieldRecord('canonicals', 'string', 'many'),
  fieldRecord('h2', 'string', 'many'),
  fieldRecord('h3', 'string', 'many'),
  fieldRecord('hreflang_languages', 'string', 'many'),
  fieldRecord('simhash', 'natural'),
  fieldRecord('ngrams', 'object'),
  fieldRecord('similar_pages', 'nested', 'many'),
  fieldRecord('ogp_title', 'string'),
  fieldRecord('ogp_type', 'string'),
  fieldRecord('twc_card', 'string'),
  fieldRecord('crawled_by_googlebot', 'bool'),
  fieldRecord('googlebot_hits', 'natural'),
  fieldRecord('gsc_clicks', 'natural'),
  fieldRecord('gsc_impressions', 'natural'),
  fieldRecord('gsc_position', 'float'),
  fieldRecord('gsc_ctr', 'percentage'),
];

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
