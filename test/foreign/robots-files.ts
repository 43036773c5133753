import { seededRandom } from '../support/random.ts';

export interface RobotsCase {
  readonly file: string;
  readonly agent: string;
  readonly paths: readonly string[];
}

const PIECES = [
  '/',
  'a',
  'b',
  'shop',
  '/x/',
  '*',
  '$',
  '.html',
  '?q=1',
  '&p',
  '-',
  '%20',
  'é',
  '%C3%A9',
  '~',
];
const AGENTS = ['foobot', 'barbot', '*', 'FooBot', 'bazbot'];
const PATH_PIECES = PIECES.filter((piece) => piece !== '*' && piece !== '$');

/** Files that are well formed, of several groups with patterns, and paths that may match them. */
export function robotsCases(count: number, seed: number): RobotsCase[] {
  const random = seededRandom(seed);
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const many = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make);
  const joined = (pieces: readonly string[]): string => `/${many(4, () => oneOf(pieces)).join('')}`;
  const rule = (): string =>
    `${oneOf(['Allow', 'Disallow', 'Disallow'])}: ${random() < 0.05 ? '' : joined(PIECES)}`;
  const group = (): string => [...many(2, () => `User-agent: ${oneOf(AGENTS)}`), ...many(5, rule)].join('\n');
  return Array.from({ length: count }, () => ({
    file: `${many(3, group).join('\n\n')}\n`,
    agent: 'foobot',
    paths: ['/', ...many(12, () => joined(PATH_PIECES))],
  }));
}
