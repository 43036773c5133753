/** What the fields of links, clusters, structured data, log files and search results hold. */

/** The parts of the URL at one end of a link. */
function linkEnd(end: 'origin' | 'target', page: string): Record<string, string> {
  return {
    [end]: `Full URL of the page ${page}.`,
    [`${end}_ext`]: `File extension of the URL ${page}.`,
    [`${end}_first_path`]: `First directory of the URL ${page}, or /.`,
    [`${end}_has_params`]: `Whether the URL ${page} has a query string.`,
    [`${end}_host`]: `Host of the URL ${page}.`,
    [`${end}_path`]: `Path of the URL ${page}.`,
    [`${end}_querystring_key`]: `Keys of the query string of the URL ${page}.`,
    [`${end}_querystring_keyvalue`]: `Keys and values of the query string of the URL ${page}.`,
  };
}

export const LINK_FIELDS: Readonly<Record<string, string>> = {
  ...linkEnd('origin', 'that has the link'),
  ...linkEnd('target', 'that the link leads to'),
  anchor: 'Text of the link.',
  follow: 'Whether the link is to be followed: it has no nofollow.',
  intern: 'Whether the link leads to a page of the site.',
  juice: 'Popularity that the link passes on.',
  link_position: 'Place of the link on the page.',
  target_fetched: 'Whether the crawler fetched the target.',
  target_status: 'HTTP status of the target.',
  target_status_range: 'Range of the HTTP status of the target: ok, redirect, client_error or server_error.',
};

export const CLUSTER_FIELDS: Readonly<Record<string, string>> = {
  average_similarity: 'Average similarity of the pages of the cluster, a share from 0 to 1.',
  canonical_status: 'How canonicals handle the cluster.',
  cluster_id: 'Identifier of the cluster.',
  sample_urls: 'URLs of some pages of the cluster.',
  size: 'Number of pages of the cluster.',
};

export const STRUCTURED_DATA_FIELDS: Readonly<Record<string, string>> = {
  format: 'Format of the item: json-ld, rdfa or microdata.',
  item: 'The item itself, as JSON.',
  missing_properties: 'Required properties that the item lacks.',
  position: 'Place of the item on the page.',
  type: 'Type of the item.',
  url: 'Full URL of the page that has the item.',
  valid: 'Whether the item has all required properties.',
};

export const FIELD_FIELDS: Readonly<Record<string, string>> = {
  actions: 'Filter types that work on the field.',
  agg_dimension: 'Whether aggregates can group by the field.',
  agg_metric_methods: 'Aggregation methods that work on the field.',
  arity: 'Whether the field has one value or many.',
  can_display: 'Whether searches and exports can have the field.',
  can_filter: 'Whether filters can use the field.',
  can_sort: 'Whether rows can be sorted by the field.',
  data_type: 'Data type of the crawl that has the field: pages, links, clusters or structured_data.',
  name: 'Name of the field.',
  type: 'Type of the field, as the service names it.',
  values: 'Possible values of an enum.',
};

const LOGGED_URL = {
  url: 'Full URL that was requested.',
  urlpath: 'Path of the URL.',
};

export const LOG_EVENT_FIELDS: Readonly<Record<string, string>> = {
  ...LOGGED_URL,
  bot: 'Name of the bot that sent the request.',
  bot_kind: 'Kind of the bot: seo, sea or vertical.',
  bot_verification:
    'Whether the bot is what its user agent says, by its address: verified, refuted or unchecked.',
  bytes_sent: 'Number of bytes of the answer.',
  day: 'Day of the request.',
  device: 'Device that sent the request: desktop or mobile.',
  event_date: 'When the server logged the request.',
  is_bot: 'Whether a bot sent the request.',
  is_seo_visit: 'Whether a person came from search results.',
  method: 'HTTP method.',
  referer: 'URL that the request named as its referrer.',
  search_engine: 'Search engine that the bot belongs to.',
  status_code: 'HTTP status of the answer.',
  status_code_range: 'Range of the HTTP status: ok, redirect, client_error or server_error.',
  url_first_path: 'First directory of the path, or /.',
  url_has_params: 'Whether the URL has a query string.',
  url_host: 'Host of the URL.',
  user_agent: 'User agent that the request named.',
};

export const LOG_PAGE_FIELDS: Readonly<Record<string, string>> = {
  ...LOGGED_URL,
  bot_hits: 'Number of requests of bots.',
  bytes_sent: 'Number of bytes of the answers.',
  day: 'Day that the row counts.',
  hits: 'Number of requests.',
  hits_2xx: 'Number of requests that were answered with a status of 200 to 299.',
  hits_3xx: 'Number of requests that were answered with a status of 300 to 399.',
  hits_4xx: 'Number of requests that were answered with a status of 400 to 499.',
  hits_5xx: 'Number of requests that were answered with a status of 500 to 599.',
  is_active: 'Whether a person came from search results in the period.',
  is_crawled: 'Whether a bot requested the URL in the period.',
  last_status_code: 'HTTP status of the last answer in the period.',
  month: 'Month that the row counts, YYYY-MM.',
  sea_bot_hits: 'Number of requests of bots of the kind sea.',
  seo_bot_hits: 'Number of requests of bots of the kind seo.',
  seo_visits: 'Number of visits from search results.',
  vertical_bot_hits: 'Number of requests of bots of the kind vertical.',
  visits: 'Number of visits of people.',
  week: 'Week that the row counts, YYYY-Www; the project says whether it begins on Monday or Sunday.',
};

export const RANKING_FIELDS: Readonly<Record<string, string>> = {
  clicks: 'Number of clicks on the URL in search results.',
  country: 'Country of the searcher.',
  date: 'Day of the searches.',
  device: 'Device of the searcher.',
  impressions: 'Number of times that search results showed the URL.',
  is_branded: 'Whether the query names the brand.',
  period_days: 'Days that the row is a total of, the last one being date; none: a row of one day and URL.',
  totals_by: 'Of a total, the dimensions that it is counted by, as in url; all: none.',
  search_engine: 'The search engine, google or bing.',
  is_anonymized: 'Whether the query is hidden to protect who asked it.',
  position: 'Average position of the URL in search results, weighted by impressions.',
  query: 'Query of the searcher.',
  url: 'Full URL that search results showed.',
};
