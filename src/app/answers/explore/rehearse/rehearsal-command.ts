import { isCode, sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import { shellWord } from '../../../../core/text/shell-word.ts';
import type { AskedCrawls } from '../chosen-crawls.ts';
import type { RehearsedChange } from './rehearsed-change.ts';

/** Returns the command of a rehearsal, on one line. */
export function rehearsalCommand(change: RehearsedChange, { project, crawl }: AskedCrawls): string {
  const given = 'content' in change ? change.given : oneLine(change.given);
  const flags = Object.entries({ [change.kind]: given, project, crawl }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} ${shellWord(value)}`],
  );
  return ['crawlhouse rehearse', ...flags].join(' ');
}

/** Returns a condition without comments and line breaks between its words. */
const oneLine = (condition: string): string =>
  sqlTokens(condition)
    .map((token) => (isCode(token) ? token.text : ' '))
    .join('')
    .trim();
