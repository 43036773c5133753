/** User name and password before the host of an address, anywhere in a text. Browsers also read `https:\\u:p@`. */
const USERINFO = /\b([a-z][a-z0-9+.-]*:[/\\]{2,})[^\s/\\?#"'<>]*@/gi;

/** The text without the user name and password of each address in it (`https://user:pw@host/` → `https://host/`). */
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
