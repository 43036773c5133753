/** Pages of search engines that people come from, by host. A subdomain of Google such as docs is none. */
const HOSTS =
  /^https?:\/\/(?:(?:www|m|encrypted)\.)?(?:google\.(?:[a-z]{2,3}|com?\.[a-z]{2})|(?:[a-z]{2}\.)?bing\.com|duckduckgo\.com|ecosia\.org|yandex\.(?:[a-z]{2,3}|com\.[a-z]{2})|baidu\.com|qwant\.com|startpage\.com|seznam\.cz|(?:[a-z]{2}\.)?search\.yahoo\.com|search\.(?:brave\.com|yahoo\.co\.jp|naver\.com)|cn\.bing\.com)(?:[:/?#]|$)/i;
const APP = 'android-app://com.google.android.googlequicksearchbox';

/** Whether a referrer is a page of a search engine. */
export function isSearchResults(referer: string): boolean {
  return HOSTS.test(referer) || referer.startsWith(APP);
}
