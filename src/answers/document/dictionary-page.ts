import { padToWidth } from '../../core/display-width.ts';
import { columnWidths } from '../../core/text-table.ts';
import type { Dictionary, DictionaryTable } from './dictionary.ts';

/** The models as a page of Markdown: what stands in their files alone, so that it is the same on every machine. */
export function renderDictionaryPage(dictionary: Dictionary): string {
  const models = dictionary.tables.filter((table) => table.name.startsWith('mart.'));
  return [HEAD, contents(models), ...models.map(section)].join('\n');
}

const HEAD = `# Data dictionary

Every model that ships, with its columns, their units and sources, its grain and its tests. Written by
\`crawlhouse docs --format markdown\`, and a test sees that it is current; \`crawlhouse docs\` writes the same for a warehouse as a site, with
types, rows, lineage and the last results of its tests.
`;

function contents(models: readonly DictionaryTable[]): string {
  return `${models.map(({ name }) => `[${name}](#${name.replace('.', '')})`).join(' · ')}\n`;
}

function section({ name, kind, description, grain, reads, columns, tests, file }: DictionaryTable): string {
  const lines = [
    `## ${name}\n`,
    `${flat(description)}\n`,
    `A ${kind}; ${grain ? `a row for each ${grain.map((column) => `\`${column}\``).join(', ')}` : 'rows may repeat'}. ` +
      `Made ${reads.length > 0 ? `from ${reads.map((one) => `\`${one}\``).join(', ')} ` : ''}by [${file}](../${file}).\n`,
    ...alignedTable([
      ['column', 'holds'],
      ...columns.map((column) => [`\`${column.name}\``, flat(column.description).replaceAll('|', '\\|')]),
    ]),
    '',
  ];
  if (tests.length > 0) lines.push(`Tests: ${tests.map(testText).join('; ')}.\n`);
  return lines.join('\n');
}

/** As the formatter of this repository writes tables. */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths = columnWidths(rows);
  const lines = rows.map(
    (row) => `| ${row.map((cell, index) => padToWidth(cell, widths[index] ?? 0)).join(' | ')} |`,
  );
  return lines.toSpliced(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
}

const testText = ({ name, severity }: DictionaryTable['tests'][number]): string =>
  severity === 'error' ? name : `${name} (${severity})`;

const flat = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ').trim();
