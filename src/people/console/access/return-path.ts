const BASE = 'http://console.invalid';

/** Where a person goes after the sign-in: a path of this console, whatever was given. */
export function returnPath(given: string | null): string {
  const url = given?.startsWith('/') ? URL.parse(given, BASE) : null;
  if (url === null || url.origin !== BASE) return '/';
  // `/.//host` is read as `//host`, which a browser takes for another host.
  if (url.pathname.startsWith('//') || url.pathname.startsWith('/sign-')) return '/';
  return url.pathname + url.search;
}
