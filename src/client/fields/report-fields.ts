import { computed, type FieldEntry } from './field-entry.ts';
import { STATUS_RANGES } from './page-fields.ts';

type Fields = Readonly<Record<string, FieldEntry>>;

/** The fields of links (wire-facts.md, "link fields"; their types are ours). */
export const LINK_FIELDS: Fields = {
  origin: computed('string', 'Full URL of the page that has the link.'),
  target: computed('string', 'Full URL of the page that the link leads to.'),
  anchor: computed('string', 'Text of the link.'),
  follow: computed('bool', 'Whether crawlers may follow the link: it has no nofollow.'),
  intern: computed('bool', 'Whether the link leads to a page of the site.'),
  target_status: computed('natural', 'HTTP status of the target.'),
  target_status_range: computed(
    'enum',
    'Range of the HTTP status of the target: ok, redirect, client_error or server_error.',
    STATUS_RANGES,
  ),
  target_fetched: computed('bool', 'Whether the crawler fetched the target.'),
  juice: computed('float', 'Popularity that the link passes on.'),
  ...linkEnd('origin', 'that has the link'),
  ...linkEnd('target', 'that the link leads to'),
};

/** Fields that only our crawler provides. */
export const OWN_LINK_FIELDS = {
  link_position: computed('enum', 'Position of the link on the page.'),
  is_image: computed('bool', 'Whether the link is an image without text.'),
  rel: computed('string[]', 'nofollow, ugc and sponsored, if the link itself declares them.'),
} satisfies Fields;

/** Returns the parts of the URL at one end of a link. */
function linkEnd(end: 'origin' | 'target', page: string): Fields {
  return {
    [`${end}_ext`]: computed('string', `File extension of the URL ${page}.`),
    [`${end}_first_path`]: computed('string', `First directory of the URL ${page}, or /.`),
    [`${end}_has_params`]: computed('bool', `Whether the URL ${page} has a query string.`),
    [`${end}_host`]: computed('string', `Host of the URL ${page}.`),
    [`${end}_path`]: computed('string', `Path of the URL ${page}.`),
    [`${end}_querystring_key`]: computed('string', `Keys of the query string of the URL ${page}.`),
    [`${end}_querystring_keyvalue`]: computed(
      'string',
      `Keys and values of the query string of the URL ${page}.`,
    ),
  };
}

/**
 * The fields of clusters of similar pages. The specification has size and average similarity; crawlhouse adds the
 * others.
 */
export const CLUSTER_FIELDS = {
  cluster_id: computed('hash', 'Identifier of the cluster.'),
  size: computed('natural', 'Number of pages of the cluster.'),
  average_similarity: computed(
    'percentage',
    'Average similarity of the pages of the cluster, a share from 0 to 1.',
  ),
  canonical_status: computed('enum', 'How canonicals handle the cluster.', [
    'canonical_ok',
    'canonical_not_matching',
    'canonical_not_set',
  ]),
  sample_urls: computed('string[]', 'URLs of some pages of the cluster.'),
} satisfies Fields;

/** The fields of structured data items. They are ours, because no public source documents them. */
export const STRUCTURED_DATA_FIELDS = {
  url: computed('string', 'Full URL of the page that has the item.'),
  format: computed('enum', 'Format of the item: json-ld, rdfa or microdata.', [
    'json-ld',
    'rdfa',
    'microdata',
  ]),
  type: computed('string', 'Type of the item.'),
  position: computed('natural', 'Place of the item on the page.'),
  valid: computed('bool', 'Whether the item has all required properties.'),
  missing_properties: computed('string[]', 'Required properties that the item lacks.'),
  item: computed('object', 'The item itself, as JSON.'),
} satisfies Fields;

/** The requests of a website's crawl other than pages. No specification defines these fields, so they are ours. */
export const REQUEST_FIELDS = {
  url: computed('string', 'Full URL that was requested.'),
  kind: computed('enum', 'What was requested: robots_txt, sitemap, recheck or target.', [
    'robots_txt',
    'sitemap',
    'recheck',
    'target',
  ]),
  status_code: computed('natural', 'HTTP status; NULL without a response or without a request.'),
  fetch_status: computed('string', 'Outcome of the request, with the same values as for pages.'),
  error: computed('string', 'Why there was no answer, or why the file could not be read.'),
  redirect_location: computed('string', 'URL that the answer redirects to.'),
  final_redirect_location: computed('string', 'URL at the end of the redirects.'),
  final_redirect_status: computed('natural', 'HTTP status at the end of the redirects.'),
  robots_txt_denied: computed('bool', 'Whether robots.txt denies it, so that it was not requested.'),
  is_indexable: computed('bool', 'Whether search engines may index the URL.'),
  is_noindex: computed('bool', 'Whether the response declares noindex.'),
  canonical: computed('string', 'Canonical URL that the answer declares.'),
  source_url: computed('string', 'URL that declares or lists it.'),
  declared_as: computed(
    'enum',
    'What a page declares the URL as: canonical, hreflang, redirect, next, prev or amp.',
    ['canonical', 'hreflang', 'redirect', 'next', 'prev', 'amp'],
  ),
  num_urls: computed('natural', 'Number of URLs that a sitemap lists.'),
  content: computed('string', 'Text of a robots.txt.'),
  fetch_date: computed('datetime', 'When it was requested.'),
} satisfies Fields;
