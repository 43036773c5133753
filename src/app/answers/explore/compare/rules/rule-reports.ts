import { packageVersion } from '../../../../../core/host/package-version.ts';
import { countText } from '../../../../../core/text/amounts.ts';
import { html } from '../../../../../core/text/html.ts';
import { markdownTable, markdownText } from '../../../presentation/markdown.ts';
import { nameOfCrawl } from '../compared-crawls.ts';
import type { Comparison } from '../read-compare.ts';
import type { RuleFinding, RuleResult, RulesAnswer } from './read-rules.ts';
import { pageBefore, ruleSentences, unlisted } from './rule-blocks.ts';

type Compared = Pick<Comparison, 'from' | 'to'>;

const changeText = ({ before, url_before, after }: RuleFinding): string =>
  `before: ${pageBefore(before, url_before)}; now: ${after ?? 'unknown'}`;

const MOST_ROWS = 50;

/** Returns the answer as a comment for a pull request. */
export function rulesMarkdown({ from, to }: Compared, answer: RulesAnswer): string {
  const state =
    answer.broken === 0 ? 'no rule is broken' : `${answer.broken} of ${answer.rules.length} rules broken`;
  const between = `${from.project}, ${nameOfCrawl(from)}, and ${to.project}, ${nameOfCrawl(to)}`;
  const rows = answer.rules.map(({ rule, status, found, most, why }) => [
    markdownText(rule),
    status,
    found === null ? '' : countText(found),
    countText(most),
    markdownText(why ?? ''),
  ]);
  const lines = [
    `### crawlhouse compare: ${state}`,
    '',
    markdownText(between),
    '',
    ...ruleSentences(answer).flatMap((sentence) => [markdownText(sentence), '']),
    ...markdownTable([['Rule', 'Status', 'Found', 'At most', 'Why'], ...rows]),
  ];
  for (const rule of answer.rules.filter(({ status }) => status === 'broken')) {
    const found = rule.findings
      .slice(0, MOST_ROWS)
      .map(({ url, url_before, before, after, clicks }) => [
        markdownText(url),
        markdownText(pageBefore(before, url_before)),
        markdownText(after ?? 'unknown'),
        clicks === null ? '' : countText(clicks),
      ]);
    const note = unlisted(rule, MOST_ROWS);
    lines.push('', `#### ${markdownText(rule.title)}`, '');
    lines.push(...markdownTable([['URL', 'Before', 'Now', 'Clicks'], ...found]));
    if (note !== null) lines.push('', note);
  }
  return `${lines.join('\n')}\n`;
}

/** Returns a URL as a relative reference, because code scanning accepts no scheme but that of files. */
function referenceTo(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return encodeURIComponent(url);
  const { host, pathname, search } = parsed;
  return encodeURIComponent(host) + (pathname + search).replace(/["[\]^`{|}]/g, encodeURIComponent);
}

const LEVELS = { broken: 'error', passed: 'note', unknown: 'none' } as const;

/** Returns the answer as a SARIF 2.1.0 document. */
export async function rulesSarif(answer: RulesAnswer): Promise<object> {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'crawlhouse',
            version: await packageVersion(),
            rules: answer.rules.map(({ rule, title }) => ({ id: rule, shortDescription: { text: title } })),
          },
        },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: answer.rules.flatMap(({ rule, why }) =>
              why === null
                ? []
                : [{ level: 'warning', descriptor: { id: rule }, message: { text: `Not checked: ${why}.` } }],
            ),
          },
        ],
        properties: { pages: ruleSentences(answer)[0] },
        results: answer.rules.flatMap((rule, ruleIndex) => sarifResults(rule, ruleIndex)),
      },
    ],
  };
}

const sarifResults = ({ rule, title, status, findings }: RuleResult, ruleIndex: number): object[] =>
  findings.map((finding) => ({
    ruleId: rule,
    ruleIndex,
    level: LEVELS[status],
    message: { text: `${title}: ${finding.url} (${changeText(finding)})` },
    locations: [{ physicalLocation: { artifactLocation: { uri: referenceTo(finding.url) } } }],
    properties: { url: finding.url },
    partialFingerprints: { 'ruleAndUrl/v1': `${rule} ${finding.url}` },
  }));

/** Returns the answer as a JUnit report: one test case for each rule. */
export function rulesJunit({ from, to }: Compared, answer: RulesAnswer): string {
  const cases = answer.rules.map((rule) => {
    const lines = rule.findings.map((finding) => `${finding.url}: ${changeText(finding)}`).join('\n');
    const message = `${rule.title}: ${rule.found ?? 0} ${rule.counts}, at most ${rule.most}`;
    const failure = html`<failure message="${message}">${lines}</failure>`;
    const inside =
      rule.status === 'broken' ? failure : rule.why === null ? '' : html`<skipped message="${rule.why}"/>`;
    return html`<testcase classname="compare" name="${rule.rule}">${inside}</testcase>
`;
  });
  const skipped = answer.rules.filter(({ status }) => status === 'unknown').length;
  const { text } =
    html`<testsuite name="crawlhouse compare ${from.crawl_id} ${to.crawl_id}" tests="${answer.rules.length}" failures="${answer.broken}" errors="0" skipped="${skipped}">
${cases}<system-out>${ruleSentences(answer).join('\n')}</system-out>
</testsuite>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${text}\n</testsuites>\n`;
}
