/** Products that browsers name, and crawlers that name a browser too. */
const BROWSERS =
  /^(?:mozilla|applewebkit|khtml|gecko|chrome|chromium|headlesschrome|safari|mobile|version|firefox|fxios|crios|edg[a-z]*|opr|opera|presto|trident|msie|konqueror|samsungbrowser|ubuntu|build|rv|compatible)$/i;
/** A name, and its version. */
const PRODUCT = /^([a-z_-][\w-]*)(?:\/v?\d|$)/i;

/** Returns whether a string is the complete User-Agent of a browser or a crawler, and not a name to insert into one. */
export function isWholeAgent(userAgent: string): boolean {
  return /^mozilla\//i.test(userAgent);
}

/**
 * Returns the name in robots.txt and robots directives, in lowercase: the first word, without a version (RFC 9309
 * §2.2.1). In a User-Agent such as `Mozilla/5.0 (compatible; Googlebot/2.1; +http://…)`, it is the product after
 * `compatible;`, else the one that no browser names.
 */
export function robotNameOf(userAgent: string): string {
  const first = (/^[^\s/;,()]+/.exec(userAgent)?.[0] ?? userAgent).toLowerCase();
  if (!isWholeAgent(userAgent)) return first;
  const comments = [...userAgent.matchAll(/\(([^()]*)\)/g)].map(([, text = '']) =>
    text.split(/[;,]/).map((piece) => piece.trim()),
  );
  const declared = comments.flatMap((pieces) => {
    const at = pieces.findIndex((piece) => piece.toLowerCase() === 'compatible');
    return at < 0 ? [] : pieces.slice(at + 1, at + 2);
  });
  const products = userAgent.replaceAll(/\([^()]*\)/g, ' ').split(/\s+/);
  const versioned = comments.flat().filter((piece) => piece.includes('/'));
  for (const piece of [...declared, ...products, ...versioned]) {
    const name = PRODUCT.exec(spoken(piece))?.[1];
    if (name !== undefined && !BROWSERS.test(name)) return name.toLowerCase();
  }
  return first;
}

/** Returns the word that is the name, as in `Yahoo! Slurp`. */
function spoken(piece: string): string {
  const words = piece.split(' ');
  return words.find((word) => /(?:bot|spider|slurp)(?:\/|$)/i.test(word)) ?? words[0] ?? '';
}
