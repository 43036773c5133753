import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { compareBlocks } from '../../answers/explore/compare/compare-blocks.ts';
import { type Comparison, readComparison } from '../../answers/explore/compare/read-compare.ts';
import { failRules } from '../../answers/explore/compare/rules/fail-rules.ts';
import { readRules } from '../../answers/explore/compare/rules/read-rules.ts';
import { ruleBlocks } from '../../answers/explore/compare/rules/rule-blocks.ts';
import { rulesJunit, rulesMarkdown, rulesSarif } from '../../answers/explore/compare/rules/rule-reports.ts';
import { segmentParts } from '../../answers/explore/page-segments.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command, Invocation } from '../command.ts';
import { openInConsole } from '../console-address.ts';
import { oneOf, readFlagFile } from '../flag-values.ts';
import { printPaged } from '../pager.ts';
import {
  EXPLORE_FLAGS,
  formatOf,
  partOf,
  ROWS_FLAGS,
  SEGMENT_FLAGS,
  writePart,
} from '../reports/explored.ts';

const PARTS = {
  kpis: ({ kpis }) => kpis,
  issues: ({ issues }) => issues,
  pages: ({ pages }) => pages,
} as const satisfies Readonly<Record<string, (comparison: Comparison) => readonly object[]>>;

const RULE_FORMATS = ['table', 'json', 'markdown', 'sarif', 'junit'] as const;
const OF_RULES: readonly string[] = ['sarif', 'junit'];

export const compare: Command = {
  name: 'compare',
  summary: 'compare two crawls of a project: figures, issues, and changed pages',
  positionals: { shown: 'CRAWL CRAWL', most: 2 },
  flags: {
    project: EXPLORE_FLAGS.project,
    ...SEGMENT_FLAGS,
    part: { value: 'PART', values: Object.keys(PARTS), help: 'only one of' },
    ...ROWS_FLAGS,
    format: {
      ...ROWS_FLAGS.format,
      values: [...ROWS_FLAGS.format.values, ...OF_RULES],
      help: 'the format of the rows (table), or of --fail-on',
    },
    'fail-on': {
      value: 'RULES',
      help: 'end with 4 if a rule is broken: all, names of rules, or a YAML file (docs/explore.md)',
    },
  },
  async run(invocation) {
    const [from, to] = invocation.positionals;
    if (from === undefined || to === undefined)
      throw new CrawlhouseError('usage', 'compare needs two crawls', {
        hint: 'crawlhouse compare previous latest',
      });
    if (invocation.text('fail-on') !== undefined) return await failOn(invocation, from, to);
    const format = invocation.text('format') ?? '';
    if (OF_RULES.includes(format)) throw new CrawlhouseError('usage', `--format ${format} needs --fail-on`);
    const part = partOf(invocation, PARTS);
    const rows = formatOf(invocation);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    const [segment, segmentation] = [invocation.text('segment'), invocation.text('segmentation')];
    const asked = { project: invocation.text('project'), from, to, segment, segmentation };
    const comparison = await readComparison(warehouse, asked, invocation.signal);
    if (invocation.has('open')) await openInConsole(invocation, settings, addressOf(comparison));
    else if (invocation.has('json')) await invocation.printJson(comparison);
    else if (part !== null) await writePart(invocation, rows, part(comparison));
    else {
      const width = invocation.terminal?.width;
      await printPaged(invocation, printBlocks(compareBlocks(comparison), { width }));
    }
    return 0;
  },
};

/** Compares two crawls by rules, also crawls of two projects. Returns 4 if a rule is broken. */
async function failOn(invocation: Invocation, from: string, to: string): Promise<number> {
  const format = oneOf(invocation, 'format', RULE_FORMATS) ?? 'table';
  const other = ['part', 'segment', 'segmentation', 'names', 'open'].find(
    (flag) => invocation.text(flag) !== undefined || invocation.has(flag),
  );
  if (other !== undefined) throw new CrawlhouseError('usage', `--fail-on and --${other} cannot be combined`);
  const rules = await failRules(invocation.text('fail-on') ?? '', (file) =>
    readFlagFile(invocation, 'fail-on', file),
  );
  const settings = await invocation.settings();
  const { signal } = invocation;
  await using warehouse = await openWarehouse(invocation, settings);
  const asked = { project: invocation.text('project'), from, to, mayBeApart: true };
  const comparison = await readComparison(warehouse, asked, signal);
  const answer = await readRules(warehouse, comparison, rules, signal);
  if (invocation.has('json') || format === 'json')
    await invocation.printJson({ ...comparison, rules: answer });
  else if (format === 'sarif') await invocation.printJson(await rulesSarif(answer));
  else if (format === 'junit') await invocation.write(rulesJunit(comparison, answer));
  else if (format === 'markdown') await invocation.write(rulesMarkdown(comparison, answer));
  else {
    const width = invocation.terminal?.width;
    const blocks = [...compareBlocks(comparison), ...ruleBlocks(answer)];
    await printPaged(invocation, printBlocks(blocks, { width }));
  }
  return answer.broken === 0 ? 0 : EXIT_CODES.refused;
}

function addressOf({ from, to, ...within }: Comparison): string {
  const query = new URLSearchParams({ from: from.crawl_id, to: to.crawl_id, ...segmentParts(within) });
  return `/projects/${encodeURIComponent(to.project_id)}/compare?${query}`;
}
