/**
 * Hosts of the result pages of search engines, as expressions, by the names that `sql/seeds/bots.csv` has in its column
 * `engine`: a company that sends a bot may also send visits. Other services of the same company, such as
 * docs.google.com or mail.yahoo.com, are not search engines.
 */
export const SEARCH_HOSTS: Readonly<Record<string, readonly string[]>> = {
  google: [String.raw`(?:(?:www|m|encrypted|images|cse)\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})`],
  bing: [String.raw`(?:(?:www|m|[a-z]{2}|[a-z]{2}-[a-z]{2})\.)?bing\.com`],
  yandex: [String.raw`(?:(?:www|m)\.)?yandex\.(?:[a-z]{2,3}|com\.[a-z]{2})`, String.raw`(?:www\.)?ya\.ru`],
  baidu: [String.raw`(?:(?:www|m|wap|image)\.)?baidu\.com`],
  duckduckgo: [String.raw`(?:(?:www|html|lite|start|safe|noai)\.)?duckduckgo\.com`],
  yahoo: [String.raw`(?:[a-z0-9-]+\.)*search\.yahoo\.(?:com|co\.jp)`],
  petal: [String.raw`(?:www\.)?petalsearch\.com`],
  sogou: [String.raw`(?:(?:www|m|wap|weixin|pic)\.)?sogou\.com`],
  seznam: [String.raw`(?:(?:www|search|m)\.)?seznam\.cz`],
  naver: [String.raw`(?:m\.)?search\.naver\.com`],
  daum: [String.raw`(?:m\.)?search\.daum\.net`],
  360: [String.raw`(?:(?:www|m)\.)?so\.com`, String.raw`(?:www\.)?haosou\.com`],
  coccoc: [String.raw`(?:www\.)?coccoc\.com`],
  qwant: [String.raw`(?:(?:www|lite)\.)?qwant\.com`],
  mojeek: [String.raw`(?:www\.)?mojeek\.(?:com|co\.uk)`],
  brave: [String.raw`search\.brave\.com`],
  kagi: [String.raw`(?:www\.)?kagi\.com`],
  'mail.ru': [String.raw`go\.mail\.ru`],
  shenma: [String.raw`(?:(?:www|m|yz\.m)\.)?sm\.cn`],
  seekport: [String.raw`(?:www\.)?seekport\.(?:com|de)`],
  marginalia: [String.raw`(?:www\.)?marginalia-search\.com`, String.raw`search\.marginalia\.nu`],
  // Without a crawler of their own.
  ecosia: [String.raw`(?:www\.)?ecosia\.org`],
  startpage: [String.raw`(?:(?:www|s\d+-[a-z]+|[a-z]{2,3}\d*)\.)?startpage\.com`],
  aol: [String.raw`search\.aol\.(?:com|co\.uk|de|fr)`],
  ask: [String.raw`(?:(?:www|[a-z]{2})\.)?ask\.com`],
  swisscows: [String.raw`(?:www\.)?swisscows\.(?:com|ch)`],
  metager: [String.raw`(?:www\.)?metager\.(?:org|de)`],
  presearch: [String.raw`(?:www\.)?presearch\.(?:com|org)`],
  rambler: [String.raw`nova\.rambler\.ru`],
  lilo: [String.raw`search\.lilo\.org`],
  't-online': [String.raw`suche\.t-online\.de`],
  'web.de': [String.raw`suche\.(?:web\.de|gmx\.net)`],
};

const PAGE = new RegExp(
  String.raw`^https?:\/\/(?:${Object.values(SEARCH_HOSTS).flat().join('|')})\.?(?:[:/?#]|$)`,
  'i',
);
const APP = 'android-app://com.google.android.googlequicksearchbox';

/** Returns whether a visitor came from a search engine's results. */
export function isSearchResults(referer: string): boolean {
  return PAGE.test(referer) || referer.startsWith(APP);
}
