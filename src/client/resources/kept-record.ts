import { lookUp } from '../../core/text/look-up.ts';

/** User name and password before the host of an address, anywhere in a text. Browsers also read `https:\\u:p@`. */
const USERINFO = /\b([a-z][a-z0-9+.-]*:[/\\]{2,})[^\s/\\?#"'<>]*@/gi;

/**
 * The parts of a value to keep. `value` is a text, number or boolean; `[shape]` is a list; an object lists its keys,
 * and `*` matches any. `open` keeps all keys except those whose names suggest secrets. `reference` keeps only
 * `secrets://…`.
 */
type Shape = 'value' | 'open' | 'reference' | readonly [Shape] | ObjectShape;
interface ObjectShape {
  readonly [key: string]: Shape;
}

const VALUES: Shape = ['value'];
const MAP: Shape = { '*': 'value' };

/** The description of a scraped field; the specification shows no shape (docs/crawler.md, "Scraped fields"). */
const CUSTOM_FIELD = values('name type decimal take many from arity xpath css regex selector attribute');

/**
 * The keys of a crawl configuration to keep, wherever it occurs (api-spec.md §2.8, spec-notes.md 33). No other key is
 * kept.
 */
const CRAWL_CONFIG: ObjectShape = {
  ...values('id name start_url user_agent max_speed agent_kind ajax_crawling allow_query_params'),
  ...values('crawl_subdomains filter_query_params js_rendering max_depth max_url query_params_list'),
  ...values('resource_checker strict_sitemaps trigger_coc use_cookies use_proxy whitelist_params_mode'),
  ...values('reuse_cookies scheduling_period scheduling_start_date scheduling_timezone'),
  alternate_start_urls: VALUES,
  custom_fields: [CUSTOM_FIELD],
  dns: [{ host: 'value', ips: VALUES }],
  robots_txt: [values('host content')],
  sitemaps: VALUES,
  user_input_files: VALUES,
  watched_resources: VALUES,
};

const CONFIGURED = { crawl_config: CRAWL_CONFIG } as const;

/** A crawl within a project's record. */
const CRAWL: Shape = {
  ...values(
    'id project_id user_id link_status status created_at ended_at fetched_urls last_depth end_reason',
  ),
  features: VALUES,
  ...CONFIGURED,
};

/** A scheduled crawl within a project's record. */
const SCHEDULED_CRAWL: Shape = { ...values('id project_id config_id recurrence start_date'), ...CONFIGURED };

/** Keys of each list's records that contain more than a value, or a list of values. */
const RECORDS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  workspaces: {},
  projects: {
    limits: MAP,
    crawl_config: CRAWL_CONFIG,
    crawl_configs: [CRAWL_CONFIG],
    crawls: [CRAWL],
    scheduled_crawls: [SCHEDULED_CRAWL],
  },
  crawls: {
    ...CONFIGURED,
    cross_analysis_access_logs: 'open',
    cross_analysis_analytics_a: 'open',
    cross_analysis_analytics_b: 'open',
    cross_analysis_backlinks: 'open',
  },
  crawl_over_crawls: {
    configuration: {
      ...values('id name'),
      url_transformations: [{ type: 'value', crawl_to_transform: 'value', config: MAP }],
    },
  },
  scheduled_crawls: CONFIGURED,
  ingest_files: { detailed_invalid_lines: MAP, fields: MAP, lines_errors_messages: { '*': VALUES } },
  data_exports: {
    output_format_parameters: { csv_delimiter: 'value' },
    target_parameters: {
      ...values('store_a_bucket store_a_prefix store_b_bucket store_b_region store_b_prefix'),
      store_b_credentials: 'reference',
    },
  },
};

/** Names of keys that indicate secrets, or objects that often contain some. */
const SECRET_NAME =
  /passw|passphrase|secret|token|api_?key|access_?key|private_?key|credential|authorization|(^|_)auth($|_)|cookie|(^|_)headers?$|proxy|proxies|webhook|notification|signature|session|_params$/i;
/** Names of keys whose objects are configurations. */
const CONFIG_NAME = /^(crawl_?)?config(uration)?s?$/i;

type Record_ = Readonly<Record<string, unknown>>;

/**
 * Returns the part of a list's record that goes to the warehouse. This is an allow-list, so that a secret under a
 * future key stays out (spec-notes.md 33). A configuration keeps only the keys named here. Other records also keep
 * undeclared plain values, and the objects that the pipeline declares. User names and passwords in addresses are
 * removed.
 *
 * @param list as in `pipelines/*.yaml`, `source.data_type`
 * @param declared names of the columns that the pipeline declares
 */
export function keptRecord(
  list: string,
  record: Record_,
  declared: readonly string[] = [],
): Record<string, unknown> {
  if (list === 'crawl_configs') return keptObject(record, CRAWL_CONFIG);
  const shapes = Object.entries(record).flatMap(([key, value]) => {
    const shape = shapeOf(lookUp(RECORDS, list) ?? {}, key, value, declared);
    return shape === undefined ? [] : [[key, shape] as const];
  });
  return keptObject(record, Object.fromEntries(shapes));
}

function values(names: string): ObjectShape {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'value']));
}

/** Returns the shape of a key; undefined if nothing is kept under it. */
function shapeOf(
  known: Readonly<Record<string, Shape>>,
  key: string,
  value: unknown,
  declared: readonly string[],
): Shape | undefined {
  if (Object.hasOwn(known, key)) return lookUp(known, key);
  const isMany = Array.isArray(value);
  if (CONFIG_NAME.test(key)) return isMany ? [CRAWL_CONFIG] : CRAWL_CONFIG;
  const isDeclared = declared.includes(key);
  if (SECRET_NAME.test(key)) return isDeclared ? 'value' : undefined;
  if (isDeclared) return 'open';
  return isMany ? VALUES : 'value';
}

/** Returns the part of the value that matches the shape; undefined if there is none. */
function kept(value: unknown, shape: Shape): unknown {
  if (value === null) return null;
  if (shape === 'open') return opened(value);
  if (shape === 'reference')
    return typeof value === 'string' && value.startsWith('secrets://') ? value : undefined;
  if (shape === 'value') {
    if (typeof value === 'string') return withoutUserinfo(value);
    return isPlainObject(value) || Array.isArray(value) ? undefined : value;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return undefined;
    return value.map((item) => kept(item, shape[0])).filter((item) => item !== undefined);
  }
  return isPlainObject(value) ? keptObject(value, shape) : undefined;
}

function keptObject(value: Record_, shape: ObjectShape): Record<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const inner = Object.hasOwn(shape, key) ? shape[key] : shape['*'];
    const left = inner === undefined ? undefined : kept(item, inner);
    return left === undefined ? [] : [[key, left] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns an object of unknown shape: everything except keys that indicate secrets. */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  if (!isPlainObject(value)) return typeof value === 'string' ? withoutUserinfo(value) : value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    if (SECRET_NAME.test(key)) return [];
    if (!CONFIG_NAME.test(key)) return [[key, opened(item)] as const];
    const config = kept(item, Array.isArray(item) ? [CRAWL_CONFIG] : CRAWL_CONFIG);
    return config === undefined ? [] : [[key, config] as const];
  });
  return Object.fromEntries(entries);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/**
 * Returns whether a value is a plain object. Numbers in the service's own spelling are objects, too, but with another
 * prototype.
 */
function isPlainObject(value: unknown): value is Record_ {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || (prototype === null && !isRawNumber(value));
}

function isRawNumber(value: object): boolean {
  return JSON.isRawJSON(value);
}

/** Removes the user name and password from each address in a text (`https://user:pw@host/` → `https://host/`). */
export function withoutUserinfo(text: string): string {
  if (!text.includes('@')) return text;
  const stripped = text.replace(USERINFO, '$1');
  const url = URL.parse(stripped);
  if (url === null || (url.username === '' && url.password === '')) return stripped;
  // A spelling that only a URL parser reads as userinfo, such as `https:user:pw@host`.
  url.username = '';
  url.password = '';
  return url.username === '' && url.password === '' ? url.href : '';
}
