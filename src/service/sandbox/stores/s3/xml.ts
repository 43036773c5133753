import { lookUp } from '../../../../core/text/look-up.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** XML content: an element for each entry, in order; arrays repeat their element. */
type XmlContent = string | number | boolean | XmlFields;
export interface XmlFields {
  readonly [name: string]: XmlContent | readonly XmlContent[] | undefined;
}

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

export function xmlDocument(root: string, content: XmlFields): string {
  const attributes = root === 'Error' ? '' : ` xmlns="${NAMESPACE}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attributes}>${xmlOf(content)}</${root}>`;
}

function xmlOf(content: XmlContent): string {
  if (typeof content !== 'object')
    return String(content).replace(/[&<>"\r]/g, (char) => lookUp(ESCAPES, char) ?? char);
  return Object.entries(content)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? (value as readonly XmlContent[]) : [value as XmlContent | undefined]).map(
        (item) => (item === undefined ? '' : `<${name}>${xmlOf(item)}</${name}>`),
      ),
    )
    .join('');
}

/** Returns the inner XML of each element of this name. Enough for the two flat documents that clients of S3 send. */
export function elements(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '');
}

export function xmlText(inner: string): string {
  return inner.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return lookUp(NAMED, name) ?? all;
  });
}
