import { linksSql } from '../../answers/explore/url/url-blocks.ts';
import { directlyIn } from '../pages/project/draw-structure.ts';
import { TICKET_PAGES_SQL } from '../pages/project/tickets-page.ts';

/** SQL that pages write into their addresses. Its values are parameters. */
const OWN: ReadonlySet<string> = new Set([
  linksSql('origin'),
  linksSql('target'),
  ...Object.values(TICKET_PAGES_SQL),
]);

/** Returns whether the console itself wrote an SQL text, so that viewers can run it. */
export function isOwnSql(sql: string): boolean {
  // Forms send line ends as CR LF.
  const text = sql.replaceAll('\r\n', '\n');
  return OWN.has(text) || text === directlyIn(Number(/\d+/.exec(text)?.[0]));
}
