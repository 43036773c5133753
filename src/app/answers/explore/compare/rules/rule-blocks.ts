import { countText } from '../../../../../core/text/amounts.ts';
import { type Block, line, section, tableOf } from '../../../presentation/blocks.ts';
import type { RuleResult, RulesAnswer } from './read-rules.ts';

const MOST_SHOWN = 20;

/** Returns sentences about the matched pages and the broken rules. */
export function ruleSentences(answer: RulesAnswer): readonly string[] {
  const { matched, not_read_before, not_read_after, matched_by, broken, rules } = answer;
  const by =
    matched_by === 'url'
      ? 'Pages are matched by URL'
      : `Pages are matched by path (${answer.from_origin}, ${answer.to_origin})`;
  const unknown = rules.filter(({ status }) => status === 'unknown').length;
  return [
    `${by}: ${countText(matched)} read in both crawls, ${countText(not_read_after)} not read in the second, ${countText(not_read_before)} not read in the first.`,
    `Rules: ${broken} of ${rules.length} broken${unknown === 0 ? '' : `, ${unknown} not checked`}.`,
  ];
}

export const pageBefore = (before: string | null, url_before: string | null): string =>
  before ?? (url_before === null ? 'not in the crawl' : 'without it');

/** Returns a note on findings that are not listed; null if all are. */
export function unlisted({ counts, found, findings }: RuleResult, shown: number): string | null {
  const all = counts === 'pages' ? (found ?? 0) : findings.length;
  return all > shown ? `${countText(all - shown)} more pages; --json lists up to 1,000` : null;
}

export function ruleBlocks(answer: RulesAnswer): readonly Block[] {
  const broken = answer.rules.filter(({ status }) => status === 'broken');
  const [pages = '', sum = ''] = ruleSentences(answer);
  return [
    line(pages),
    section(
      sum,
      tableOf(
        'Rules',
        [
          { name: 'Rule', kind: 'code', of: ({ rule }) => rule },
          { name: 'Status', of: ({ status }) => status },
          { name: 'Found', kind: 'count', of: ({ found }) => found },
          { name: 'At most', kind: 'count', of: ({ most }) => most },
        ],
        answer.rules,
        { cause: { name: 'Why', of: ({ why }) => why } },
      ),
    ),
    ...broken.map((rule) =>
      section(
        `${rule.rule}: ${rule.title}`,
        tableOf(
          rule.rule,
          [
            { name: 'URL', of: ({ url }) => url },
            { name: 'Before', of: ({ before, url_before }) => pageBefore(before, url_before) },
            { name: 'Now', of: ({ after }) => after },
            { name: 'Clicks', kind: 'count', of: ({ clicks }) => clicks },
          ],
          rule.findings.slice(0, MOST_SHOWN),
        ),
        ...[unlisted(rule, MOST_SHOWN)].flatMap((note) => (note === null ? [] : [line(note)])),
      ),
    ),
  ];
}
