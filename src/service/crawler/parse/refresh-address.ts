/** The address of a `meta refresh` (https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps). */
export function refreshAddress(content: string): string | null {
  const [, rest = ''] = /^\s*\d*(?:\.[\d.]*)?\s*[;,]?\s*(.*)$/s.exec(content) ?? [];
  const [, quoted, bare] = /^url\s*=\s*(?:["']([^"']*)|(.*))/is.exec(rest) ?? [];
  const address = (quoted ?? bare ?? '').trim();
  return address === '' ? null : address;
}
