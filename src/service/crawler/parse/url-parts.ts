import { ownUrl } from '../../../core/net/web-url.ts';
import type { PageRecord } from '../records.ts';

type UrlParts = Pick<
  PageRecord,
  | 'url'
  | 'url_host'
  | 'urlpath'
  | 'url_first_path'
  | 'url_ext'
  | 'url_has_params'
  | 'querystring_key'
  | 'querystring_keyvalue'
>;

/**
 * The parts of a URL as the service names them (api-spec.md §2.15).
 *
 * - `url_host`: host, with the port if it is not the scheme's own.
 * - `url_first_path`: first directory with both slashes, or `/`: what follows the last slash is a file.
 * - `url_ext`: extension of the file, in lower case; up to eight letters and digits after its last dot.
 * - `querystring_key`: names of the parameters, joined by `&` (seen in real exports). `querystring_keyvalue`: the query
 *   string without its `?`.
 */
export function urlParts(url: string): UrlParts {
  const { host, pathname, search } = ownUrl(url);
  const query = search.slice(1);
  const second = pathname.indexOf('/', 1);
  return {
    url,
    url_host: host,
    urlpath: pathname,
    url_first_path: second < 0 ? '/' : pathname.slice(0, second + 1),
    url_ext:
      /\.([a-z0-9]{1,8})$/i.exec(pathname.slice(pathname.lastIndexOf('/') + 1))?.[1]?.toLowerCase() ?? null,
    url_has_params: query !== '',
    querystring_key: query === '' ? null : query.split('&').map(keyOf).join('&'),
    querystring_keyvalue: query === '' ? null : query,
  };
}

function keyOf(parameter: string): string {
  const end = parameter.indexOf('=');
  return end < 0 ? parameter : parameter.slice(0, end);
}
