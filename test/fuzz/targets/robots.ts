import fc from 'fast-check';
import { parseRobots } from '../../../src/site/crawler/robots/robots-rules.ts';
import { Fault, plainTarget, type Verdict } from '../target.ts';

const PATHS = ['/', '/a', '/a/b.html', '/a?b=c', '/ä', '/%C3%A4', '/index.html', '/x/index.htm', '/a$', '//'];

/** Invariants of RFC 9309, whatever the file says. */
function check(input: Buffer): Verdict {
  const text = input.toString();
  const rules = parseRobots(text, 'crawlbot');
  const { crawlDelay, sitemaps } = rules;
  if (crawlDelay !== null && !(crawlDelay > 0)) throw new Fault('a delay is no number above 0', crawlDelay);
  for (const url of sitemaps) if (/[\r\n]/.test(url)) throw new Fault('a sitemap has a line end', url);
  const verdicts = PATHS.map((path) => rules.isAllowed(path));
  // Other line ends, and white space around lines, say nothing.
  const others = [text.replaceAll(/\r\n?|\n/g, '\r\n'), text.replaceAll(/\r\n?|\n/g, '\r')];
  for (const other of others)
    if (`${PATHS.map((path) => parseRobots(other, 'crawlbot').isAllowed(path))}` !== `${verdicts}`)
      throw new Fault('line ends change the rules', text);
  // Encoded and plain characters are one path.
  if (rules.isAllowed('/ä') !== rules.isAllowed('/%C3%A4'))
    throw new Fault('an encoding changes the rules', text);
  if (!/disallow|dis{1,2}allow|dissalow|disalow|diasllow|disallaw/i.test(text) && verdicts.includes(false))
    throw new Fault('a file without a disallow denies', text);
  // A group of the crawler's own at the end, which denies all, is added to its rules.
  const last = parseRobots(`${text}\n\nuser-agent: crawlbot\ndisallow: /zz\n`, 'crawlbot');
  if (last.isAllowed('/zz') && !/allow/i.test(text)) throw new Fault('a group is not added', text);
  const naive = naiveVerdicts(text);
  if (naive !== undefined && `${naive}` !== `${verdicts}`)
    throw new Fault('a plain file is read otherwise', `${verdicts} for ${naive} of ${text}`);
  return sitemaps.length > 0 || verdicts.includes(false) ? 'taken' : 'refused';
}

/** What RFC 9309 says of a file that has only plain lines; undefined for others. */
function naiveVerdicts(text: string): boolean[] | undefined {
  const lines = text.split('\n');
  const rules: (readonly [allow: boolean, pattern: string])[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    if (index === 0 && line === 'user-agent: *') continue;
    const [, kind, pattern] = /^(allow|disallow): (\/[a-z/.*]*\$?)$/.exec(line) ?? [];
    if (index === 0 || kind === undefined || pattern === undefined || /index\.htm/.test(pattern))
      return undefined;
    rules.push([kind === 'allow', pattern]);
  }
  return PATHS.map((path) => {
    const matching = rules.filter(([, pattern]) => matches(pattern, path));
    const longest = Math.max(...matching.map(([, pattern]) => pattern.length));
    const best = matching.filter(([, pattern]) => pattern.length === longest);
    return best.length === 0 || best.some(([allow]) => allow);
  });
}

/** By trying every place of every star. */
function matches(pattern: string, path: string): boolean {
  if (pattern === '' || pattern === '$') return pattern === '' || path === '';
  if (pattern.startsWith('*'))
    return [...path, ''].some((_, at) => matches(pattern.slice(1), path.slice(at)));
  return path[0] === pattern[0] && matches(pattern.slice(1), path.slice(1));
}

const pattern = fc
  .array(fc.constantFrom('/', 'a', 'b', '*', 'html', '.', '/a'), { maxLength: 5 })
  .map((parts) => `/${parts.join('')}`);
const rule = fc
  .tuple(fc.constantFrom('allow', 'disallow'), pattern, fc.constantFrom('', '', '$'))
  .map(([kind, path, end]) => `${kind}: ${path}${end}`);

/** robots.txt of any site. */
export const robots = plainTarget(
  {
    name: 'robots',
    seeds: [
      'User-agent: *\nDisallow: /private\nAllow: /private/a\nSitemap: https://a.example/s.xml\n',
      'User-agent: crawlbot\nUser-agent: other\nCrawl-delay: 2.5\nDisallow: /*.pdf$\n\nUser-agent: *\nDisallow:\n',
    ],
    words: [
      'user-agent:',
      'disallow:',
      'allow:',
      'sitemap:',
      'crawl-delay:',
      'crawlbot',
      '*',
      '$',
      '#',
      'index.html',
    ],
    grammar: fc.array(rule, { maxLength: 6 }).map((rules) => ['user-agent: *', ...rules].join('\n')),
    shortRound: 1500,
  },
  check,
);
